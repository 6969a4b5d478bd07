package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.pulsar.PulsarClusterProvider;

/** No bookie awaits its disk: declared not to survive. */
@Tag(Tags.FULL)
class PulsarNoSyncPowerCutIT extends PowerCutTests {

  PulsarNoSyncPowerCutIT() {
    super(
        "pulsar",
        Map.of(PulsarClusterProvider.JOURNAL_SYNC_PROPERTY, "false"),
        PulsarCrashIT.MODE,
        false);
  }

  @Override
  protected String column() {
    return "pulsar journalSyncData=false";
  }
}
