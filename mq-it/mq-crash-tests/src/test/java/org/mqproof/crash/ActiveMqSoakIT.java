package org.mqproof.crash;

/** A pair with one store. */
class ActiveMqSoakIT extends SoakTests {

  ActiveMqSoakIT() {
    super("activemq", PairCrashTests.mode(PairCrashTests.TRANSACTED));
  }

  /** There is one copy, and it is on no node: both reach it. */
  @Override
  protected boolean survivesTheLossOfANode() {
    return true;
  }
}
