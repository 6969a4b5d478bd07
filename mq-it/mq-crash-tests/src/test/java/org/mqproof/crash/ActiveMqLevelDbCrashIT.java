package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** ActiveMQ 5 with three copies, of which two are awaited. */
@Tag(Tags.FULL)
class ActiveMqLevelDbCrashIT extends CrashTests {

  ActiveMqLevelDbCrashIT() {
    super(
        "activemq",
        Map.of("mqproof.activemq.store", "leveldb"),
        Map.of("silence.bound", "3s", "connect.bound", "10s", "call.bound", "10s"));
  }
}
