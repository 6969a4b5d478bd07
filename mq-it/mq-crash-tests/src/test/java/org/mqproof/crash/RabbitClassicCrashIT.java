package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** A classic queue lives on one node: while that is dead or paused, its clients wait. */
@Tag(Tags.FULL)
class RabbitClassicCrashIT extends RabbitCrashTests {

  static final Map<String, String> MODE = Map.of("queue.type", "classic", "queue.version", "2");

  RabbitClassicCrashIT() {
    super(MODE);
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
