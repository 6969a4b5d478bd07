package org.mqproof.crash;

import java.util.HashMap;
import java.util.Map;

/** Each commit waits for the disk of one of two standbys. */
class PostgreSqlCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s");

  /** The same with another wait of a commit. */
  static Map<String, String> mode(String synchronousCommit) {
    Map<String, String> mode = new HashMap<>(MODE);
    mode.put("synchronous.commit", synchronousCommit);
    return mode;
  }

  PostgreSqlCrashIT() {
    super("postgresql", MODE);
  }

  /** With what it alone had it must not lead again. */
  @Override
  protected void beforeLeaderComesBack(int leader) {
    awaitAnotherLeader(leader);
  }
}
