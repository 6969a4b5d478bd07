package org.mqproof.crash;

import java.util.Map;

/** Each commit waits for the disk of one of two standbys. */
class PostgreSqlCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s");

  PostgreSqlCrashIT() {
    super("postgresql", MODE);
  }

  /** With what it alone had it must not lead again. */
  @Override
  protected void beforeLeaderComesBack(int leader) {
    awaitAnotherLeader(leader);
  }
}
