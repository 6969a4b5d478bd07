package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.activemq.ActiveMqClusterProvider;

/** Nobody awaits the disk: declared not to survive. */
@Tag(Tags.FULL)
class ActiveMqNoSyncPowerCutIT extends PowerCutTests {

  ActiveMqNoSyncPowerCutIT() {
    super(
        "activemq",
        Map.of(ActiveMqClusterProvider.DISK_SYNC_PROPERTY, "never"),
        PairCrashTests.mode(PairCrashTests.TRANSACTED),
        false);
  }

  @Override
  protected String column() {
    return "activemq journalDiskSyncStrategy=never";
  }
}
