package org.mqproof.crash;

import java.util.Map;

class ArtemisNetworkCrashIT extends ReplicatedNetworkCrashTests {

  ArtemisNetworkCrashIT() {
    super("artemis", Map.of("silence.bound", "3s", "connect.bound", "10s", "call.bound", "10s"));
  }

  /** A lock on a disk says who is active. */
  @Override
  protected boolean isolatedLeaderIsReplaced() {
    return false;
  }
}
