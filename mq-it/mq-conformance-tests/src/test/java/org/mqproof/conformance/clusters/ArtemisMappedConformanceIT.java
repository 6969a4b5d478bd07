package org.mqproof.conformance.clusters;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.artemis.ArtemisClusterProvider;

/** The journal that the study of 2017 had, which does not wait for the disk. */
@Tag("full")
class ArtemisMappedConformanceIT {

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(
          "artemis",
          Map.of(
              ArtemisClusterProvider.JOURNAL_PROPERTY,
              "MAPPED",
              ArtemisClusterProvider.DATASYNC_PROPERTY,
              "false"));

  @Nested
  @DisplayName("Artemis, journal MAPPED without datasync, send=transacted")
  class Transacted extends ClusterConformance {
    Transacted() {
      super(CLUSTER, Map.of("send", "transacted"));
    }
  }
}
