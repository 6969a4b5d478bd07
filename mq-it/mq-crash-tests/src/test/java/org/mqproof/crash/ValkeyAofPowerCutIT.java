package org.mqproof.crash;

/** The disks of the primary and of a replica confirm. */
class ValkeyAofPowerCutIT extends PowerCutTests {

  ValkeyAofPowerCutIT() {
    super("valkey", ValkeyAofCrashIT.ALWAYS, ValkeyAofCrashIT.MODE, true);
  }

  @Override
  protected String column() {
    return "valkey appendfsync=always";
  }
}
