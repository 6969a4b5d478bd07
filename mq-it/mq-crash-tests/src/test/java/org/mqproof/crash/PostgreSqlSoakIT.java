package org.mqproof.crash;

/** A primary and two standbys. */
class PostgreSqlSoakIT extends SoakTests {

  PostgreSqlSoakIT() {
    super("postgresql", PostgreSqlCrashIT.MODE);
  }
}
