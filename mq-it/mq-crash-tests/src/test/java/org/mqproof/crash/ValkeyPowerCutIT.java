package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The memory of a replica confirms, and every second goes to the disks: the last ones are lost. */
@Tag(Tags.FULL)
class ValkeyPowerCutIT extends PowerCutTests {

  ValkeyPowerCutIT() {
    super("valkey", ValkeyCrashIT.MODE, false);
  }
}
