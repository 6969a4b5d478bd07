package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** Each commit waits for the disks of the primary and of a standby, which has applied it too. */
@Tag(Tags.FULL)
class PostgreSqlRemoteApplyPowerCutIT extends PowerCutTests {

  PostgreSqlRemoteApplyPowerCutIT() {
    super("postgresql", PostgreSqlCrashIT.mode("remote-apply"), true);
  }
}
