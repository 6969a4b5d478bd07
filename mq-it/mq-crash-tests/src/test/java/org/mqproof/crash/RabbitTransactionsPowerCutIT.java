package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** As {@link RabbitQuorumPowerCutIT}, confirmed by the commit of a transaction. */
@Tag(Tags.FULL)
class RabbitTransactionsPowerCutIT extends PowerCutTests {

  RabbitTransactionsPowerCutIT() {
    super(
        "rabbitmq",
        RabbitCrashTests.withBounds(Map.of("queue.type", "quorum", "confirm", "transactions")),
        true);
  }
}
