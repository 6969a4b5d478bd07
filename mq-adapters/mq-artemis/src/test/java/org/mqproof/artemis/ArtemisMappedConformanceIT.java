package org.mqproof.artemis;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.ArtemisClusterProvider;
import org.mqproof.cluster.TestCluster;

/** The journal that the study of 2017 had, which does not wait for the disk. */
@Tag("full")
@DisplayName("Artemis, journal MAPPED without datasync, send=transacted")
class ArtemisMappedConformanceIT extends ArtemisConformance {

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(
          "artemis",
          Map.of(
              ArtemisClusterProvider.JOURNAL_PROPERTY, "MAPPED",
              ArtemisClusterProvider.DATASYNC_PROPERTY, "false"));

  ArtemisMappedConformanceIT() {
    super(CLUSTER, "transacted");
  }
}
