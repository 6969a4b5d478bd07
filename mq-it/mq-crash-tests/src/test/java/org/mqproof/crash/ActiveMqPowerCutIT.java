package org.mqproof.crash;

/**
 * One store for both nodes, whose journal is awaited; but, as it seems, not what a transaction
 * wrote to a journal file when its commit is in the next one. Declared not to survive.
 */
class ActiveMqPowerCutIT extends PowerCutTests {

  ActiveMqPowerCutIT() {
    super("activemq", PairCrashTests.mode(PairCrashTests.TRANSACTED), false);
  }
}
