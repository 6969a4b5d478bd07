package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.artemis.ArtemisClusterProvider;

/** Nobody awaits a disk: declared not to survive. */
@Tag(Tags.FULL)
class ArtemisNoSyncPowerCutIT extends PowerCutTests {

  ArtemisNoSyncPowerCutIT() {
    super(
        "artemis",
        Map.of(ArtemisClusterProvider.DATASYNC_PROPERTY, "false"),
        PairCrashTests.mode(PairCrashTests.TRANSACTED),
        false);
  }

  @Override
  protected String column() {
    return "artemis datasync=false";
  }
}
