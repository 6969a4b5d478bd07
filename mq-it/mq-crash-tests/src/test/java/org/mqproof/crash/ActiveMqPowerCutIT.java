package org.mqproof.crash;

import java.util.Map;

/**
 * One store for both nodes, whose journal is awaited; but what a transaction wrote to a journal
 * file is not when its commit is in the next one. Declared not to survive.
 */
class ActiveMqPowerCutIT extends PowerCutTests {

  ActiveMqPowerCutIT() {
    super(
        "activemq",
        Map.of(
            "send",
            PairCrashTests.TRANSACTED,
            "silence.bound",
            "3s",
            "connect.bound",
            "10s",
            "call.bound",
            "10s"),
        false);
  }
}
