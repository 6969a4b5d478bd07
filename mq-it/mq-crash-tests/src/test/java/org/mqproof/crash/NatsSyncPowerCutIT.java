package org.mqproof.crash;

import java.util.Map;
import org.mqproof.cluster.nats.NatsClusterProvider;

/** The nodes await their disks. */
class NatsSyncPowerCutIT extends PowerCutTests {

  NatsSyncPowerCutIT() {
    super(
        "nats",
        Map.of(NatsClusterProvider.SYNC_PROPERTY, NatsClusterProvider.ALWAYS),
        NatsCrashIT.MODE,
        true);
  }

  @Override
  protected String column() {
    return "nats sync_interval=always";
  }
}
