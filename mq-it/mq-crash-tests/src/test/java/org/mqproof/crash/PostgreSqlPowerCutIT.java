package org.mqproof.crash;

/** Each commit waits for the disk of the primary and of one of two standbys. */
class PostgreSqlPowerCutIT extends PowerCutTests {

  PostgreSqlPowerCutIT() {
    super("postgresql", PostgreSqlCrashIT.MODE, true);
  }
}
