package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** A classic queue lives on one node: while that is dead or paused, its clients wait. */
@Tag(Tags.FULL)
class RabbitClassicCrashIT extends RabbitCrashTests {

  RabbitClassicCrashIT() {
    super(Map.of("queue.type", "classic", "queue.version", "2"));
  }

  @Override
  protected boolean deadLeaderIsReplaced() {
    return false;
  }

  @Override
  protected boolean pausedLeaderIsReplaced() {
    return false;
  }
}
