package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** As {@link RabbitQuorumPowerCutIT}, confirmed by the commit of a transaction. */
@Tag(Tags.FULL)
class RabbitTransactionsPowerCutIT extends PowerCutTests {

  RabbitTransactionsPowerCutIT() {
    super("rabbitmq", RabbitCrashTests.withBounds(RabbitTransactionsCrashIT.MODE), true);
  }
}
