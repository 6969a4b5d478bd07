package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** Each message is awaited before the next one is sent. */
@Tag(Tags.FULL)
class ActiveMqPerMessageCrashIT extends ActiveMqCrashTests {

  ActiveMqPerMessageCrashIT() {
    super(PER_MESSAGE);
  }
}
