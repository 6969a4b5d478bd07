package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.activemq.ActiveMqClusterProvider;

/** ActiveMQ 5 with three copies, of which two are awaited. */
@Tag(Tags.FULL)
class ActiveMqLevelDbCrashIT extends CrashTests {

  static final Map<String, String> STORE =
      Map.of(ActiveMqClusterProvider.STORE_PROPERTY, ActiveMqClusterProvider.LEVELDB);

  static final Map<String, String> MODE =
      Map.of("silence.bound", "3s", "connect.bound", "10s", "call.bound", "10s");

  ActiveMqLevelDbCrashIT() {
    super("activemq", STORE, MODE);
  }
}
