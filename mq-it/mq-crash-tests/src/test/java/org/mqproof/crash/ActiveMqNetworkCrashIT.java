package org.mqproof.crash;

import java.util.Map;

/** The nodes say nothing to each other: they share a store and its lock. */
class ActiveMqNetworkCrashIT extends NetworkCrashTests {

  ActiveMqNetworkCrashIT() {
    super("activemq", Map.of("silence.bound", "3s", "connect.bound", "10s", "call.bound", "10s"));
  }

  /** There is one copy, and it is on no node: both reach it. */
  @Override
  protected boolean survivesTheLossOfANode() {
    return true;
  }
}
