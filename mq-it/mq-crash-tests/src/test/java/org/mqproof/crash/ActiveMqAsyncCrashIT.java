package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** Messages are on their way together, and confirmed one by one. */
@Tag(Tags.FULL)
class ActiveMqAsyncCrashIT extends ActiveMqCrashTests {

  ActiveMqAsyncCrashIT() {
    super(ASYNC);
  }
}
