package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** No commit awaits a disk: declared not to survive. */
@Tag(Tags.FULL)
class PostgreSqlOffPowerCutIT extends PowerCutTests {

  PostgreSqlOffPowerCutIT() {
    super("postgresql", PostgreSqlCrashIT.mode("off"), false);
  }
}
