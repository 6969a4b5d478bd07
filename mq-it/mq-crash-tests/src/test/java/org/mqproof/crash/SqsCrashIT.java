package org.mqproof.crash;

import java.util.Map;

/** ElasticMQ: one node with everything on disk. While it is dead or paused, its clients wait. */
class SqsCrashIT extends CrashTests {

  SqsCrashIT() {
    super("sqs", Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s"));
  }

  @Override
  protected boolean pausedLeaderIsReplaced() {
    return false;
  }
}
