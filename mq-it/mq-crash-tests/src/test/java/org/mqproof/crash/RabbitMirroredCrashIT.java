package org.mqproof.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.rabbitmq.RabbitClusterProvider;

/** Classic queues with a mirror on every node. */
@Tag(Tags.FULL)
class RabbitMirroredCrashIT extends RabbitCrashTests {

  RabbitMirroredCrashIT() {
    super(Map.of("queue.type", "classic-mirrored"));
  }

  @BeforeAll
  void requireMirroredQueues() {
    assumeTrue(
        RabbitClusterProvider.hasMirroredQueues(cluster().version()),
        () -> "RabbitMQ %s has no mirrored queues".formatted(cluster().version()));
  }
}
