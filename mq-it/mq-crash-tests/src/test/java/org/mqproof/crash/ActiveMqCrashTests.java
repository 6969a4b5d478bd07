package org.mqproof.crash;

/** One store for both nodes. */
abstract class ActiveMqCrashTests extends PairCrashTests {

  ActiveMqCrashTests(String send) {
    super("activemq", send);
  }

  /** There is one copy, and it is on no node: both reach it. */
  @Override
  protected boolean survivesTheLossOfANode() {
    return true;
  }
}
