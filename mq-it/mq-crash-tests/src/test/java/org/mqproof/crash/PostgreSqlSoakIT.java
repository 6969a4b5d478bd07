package org.mqproof.crash;

import java.util.Map;

/** A primary and two standbys. */
class PostgreSqlSoakIT extends SoakTests {

  PostgreSqlSoakIT() {
    super("postgresql", Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s"));
  }
}
