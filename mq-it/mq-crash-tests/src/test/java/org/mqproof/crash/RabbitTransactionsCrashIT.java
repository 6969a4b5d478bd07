package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** Confirmed by the commit of a transaction: while there is no leader, that promises nothing. */
@Tag(Tags.FULL)
class RabbitTransactionsCrashIT extends RabbitCrashTests {

  static final Map<String, String> MODE = Map.of("queue.type", "quorum", "confirm", "transactions");

  RabbitTransactionsCrashIT() {
    super(MODE);
  }
}
