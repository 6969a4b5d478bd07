package org.mqproof.crash;

/** One store for both nodes. */
class ActiveMqCrashIT extends PairCrashTests {

  ActiveMqCrashIT() {
    super("activemq");
  }

  /** There is one copy, and it is on no node: both reach it. */
  @Override
  boolean survivesTheLossOfANode() {
    return true;
  }
}
