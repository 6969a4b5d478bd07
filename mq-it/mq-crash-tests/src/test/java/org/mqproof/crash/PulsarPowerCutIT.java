package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** Two of three bookies have awaited their disks before an entry is confirmed. */
@Tag(Tags.FULL)
class PulsarPowerCutIT extends PowerCutTests {

  PulsarPowerCutIT() {
    super("pulsar", PulsarCrashIT.MODE, true);
  }
}
