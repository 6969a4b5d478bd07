package org.mqproof.crash;

import java.util.Map;

/**
 * The active node awaits its journal, the backup does not. Declared not to survive: of some runs
 * the last second was lost.
 */
class ArtemisPowerCutIT extends PowerCutTests {

  ArtemisPowerCutIT() {
    super(
        "artemis",
        Map.of(
            "send",
            PairCrashTests.TRANSACTED,
            "silence.bound",
            "3s",
            "connect.bound",
            "10s",
            "call.bound",
            "10s"),
        false);
  }
}
