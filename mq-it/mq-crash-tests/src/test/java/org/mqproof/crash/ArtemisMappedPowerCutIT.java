package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.artemis.ArtemisClusterProvider;

/** As {@link ArtemisPowerCutIT}, with a journal in mapped memory. */
@Tag(Tags.FULL)
class ArtemisMappedPowerCutIT extends PowerCutTests {

  ArtemisMappedPowerCutIT() {
    super(
        "artemis",
        Map.of(ArtemisClusterProvider.JOURNAL_PROPERTY, "MAPPED"),
        PairCrashTests.mode(PairCrashTests.TRANSACTED),
        false);
  }

  @Override
  protected String column() {
    return "artemis MAPPED";
  }
}
