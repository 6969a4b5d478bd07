package org.mqproof.crash;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.valkey.ValkeyClusterProvider;

/** The disks of the primary and of one of two replicas confirm each message and each ack. */
@Tag(Tags.FULL) // the same requests, but for the one that waits
class ValkeyAofCrashIT extends CrashTests {

  static final Map<String, String> MODE = mode();

  static final Map<String, String> ALWAYS =
      Map.of(ValkeyClusterProvider.FSYNC_PROPERTY, ValkeyClusterProvider.ALWAYS);

  private static Map<String, String> mode() {
    Map<String, String> mode = new HashMap<>(ValkeyCrashIT.MODE);
    mode.put("confirm", "waitaof");
    return Map.copyOf(mode);
  }

  ValkeyAofCrashIT() {
    super("valkey", ALWAYS, MODE);
  }

  /** With what it alone had it must not lead again. */
  @Override
  protected void beforeLeaderComesBack(int leader) {
    awaitAnotherLeader(leader);
  }

  @Override
  protected String column() {
    return "valkey appendfsync=always";
  }
}
