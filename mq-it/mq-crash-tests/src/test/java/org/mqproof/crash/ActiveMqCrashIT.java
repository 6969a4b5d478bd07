package org.mqproof.crash;

import java.util.Map;

/** A pair with one store: whoever has the lock on it leads, also while it is paused. */
class ActiveMqCrashIT extends CrashTests {

  ActiveMqCrashIT() {
    super("activemq", Map.of("send", "transacted", "silence.bound", "3s", "call.bound", "10s"));
  }

  /** There is one copy, and it is on no node: both reach it. */
  @Override
  boolean survivesTheLossOfANode() {
    return true;
  }

  @Override
  boolean pausedLeaderIsReplaced() {
    return false;
  }
}
