package org.mqproof.crash;

import java.util.Map;

/** A pair that replicates: whoever has the lock on the newest data leads, also while paused. */
class ArtemisCrashIT extends CrashTests {

  ArtemisCrashIT() {
    super("artemis", Map.of("send", "transacted", "silence.bound", "3s", "call.bound", "10s"));
  }

  @Override
  boolean pausedLeaderIsReplaced() {
    return false;
  }
}
