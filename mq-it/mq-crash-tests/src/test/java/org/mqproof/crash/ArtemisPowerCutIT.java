package org.mqproof.crash;

import java.util.Map;

/** The active node has awaited its journal; the backup may not have. */
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
        true);
  }
}
