package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.ClusterProvider;

/** What becomes of confirmed messages when the last replica in sync loses its power. */
@Tag(Tags.FULL)
class KafkaLastInSyncIT extends CrashHarness {

  /** Two replicas on two of three nodes. */
  private static final Map<String, String> MODE =
      Map.of(
          "acks", "all",
          "partitions", "1",
          "replication.factor", "2",
          "min.insync.replicas", "2",
          "session.timeout.ms", "3000",
          "call.bound", "10s");

  private boolean survives;

  KafkaLastInSyncIT() {
    super("kafka", Map.of(ClusterProvider.POWER_PROPERTY, "true"), MODE);
  }

  @Override
  protected boolean eachRunHasItsOwnCluster() {
    return true;
  }

  @Override
  protected boolean survivesPowerCut() {
    return survives;
  }

  @Override
  protected String column() {
    return system
        + " replication.factor=2"
        + (survives ? "" : " eligible.leader.replicas.version=0");
  }

  @Seeds.Each
  @DisplayName("ALO-20 ALO-21 a replica that has everything leads, although it was not in sync")
  void alo20_alo21_theLastInSyncLosesItsPower(long seed) throws Exception {
    survives = true;
    run(new LastInSyncPowerCut(true), seed);
  }

  @Seeds.Each
  @DisplayName("ALO-20 ALO-21 without eligible leaders the one that lost messages leads again")
  void alo20_alo21_withoutEligibleLeaders(long seed) throws Exception {
    survives = false;
    run(new LastInSyncPowerCut(false), seed);
  }
}
