package org.mqproof.crash;

import java.util.Map;

/** ElasticMQ: one node with everything on disk. While it is dead or paused, its clients wait. */
class SqsCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s");

  SqsCrashIT() {
    super("sqs", MODE);
  }

  /** ElasticMQ goes by when a message can be received. */
  @Override
  protected boolean comesBackBehindWhatWaits() {
    return true;
  }

  @Override
  protected boolean pausedLeaderIsReplaced() {
    return false;
  }
}
