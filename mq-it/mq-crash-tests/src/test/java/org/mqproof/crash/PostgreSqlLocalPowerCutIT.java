package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** Each commit waits for the disk of the primary, and for no standby. */
@Tag(Tags.FULL)
class PostgreSqlLocalPowerCutIT extends PowerCutTests {

  PostgreSqlLocalPowerCutIT() {
    super("postgresql", PostgreSqlCrashIT.mode("local"), false);
  }
}
