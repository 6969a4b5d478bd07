package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The disks of the primary and of a replica confirm. */
@Tag(Tags.FULL)
class ValkeyAofPowerCutIT extends PowerCutTests {

  ValkeyAofPowerCutIT() {
    super("valkey", ValkeyAofCrashIT.ALWAYS, ValkeyAofCrashIT.MODE, true);
  }

  @Override
  protected String column() {
    return "valkey appendfsync=always";
  }
}
