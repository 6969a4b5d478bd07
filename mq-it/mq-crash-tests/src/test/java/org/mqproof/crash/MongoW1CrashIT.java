package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/**
 * Confirmed by the primary alone: what only that node had is rolled back, and the verdict counts
 * it. A pause of the others does not show it for certain, unlike with Kafka: what the primary has
 * sent them waits in their sockets, and they read it when they go on.
 */
@Tag(Tags.FULL)
class MongoW1CrashIT extends MongoCrashTests {

  MongoW1CrashIT() {
    super("w1");
  }
}
