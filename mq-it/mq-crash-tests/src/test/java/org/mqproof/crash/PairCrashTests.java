package org.mqproof.crash;

import java.util.Map;

/**
 * A pair of which the node with the lock leads. The kernel frees the lock when a process dies, not
 * when it is stopped.
 */
abstract class PairCrashTests extends CrashTests {

  static final String TRANSACTED = "transacted";
  static final String ASYNC = "async";
  static final String PER_MESSAGE = "per-message";

  PairCrashTests(String system, String send) {
    super(system, mode(send));
  }

  static Map<String, String> mode(String send) {
    return Map.of("send", send, "silence.bound", "3s", "connect.bound", "10s", "call.bound", "10s");
  }

  /** The broker has given a receiver its window ahead; another one has what comes back at once. */
  @Override
  protected boolean comesBackBehindWhatWaits() {
    return true;
  }

  @Override
  protected boolean pausedLeaderIsReplaced() {
    return false;
  }
}
