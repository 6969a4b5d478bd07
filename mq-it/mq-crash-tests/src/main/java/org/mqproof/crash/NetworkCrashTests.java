package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.mqproof.cluster.ClusterProvider;

/**
 * The cells of the fault matrix that are faults of the network. Skipped where nodes cannot have
 * networks of their own.
 */
@Tag(Tags.FULL)
public abstract class NetworkCrashTests extends CrashHarness {

  private static final String CONTAINERS_REFUSE =
      "the ports of containers that are cut off refuse; silence and a slow network need processes";

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param mode settings of the mode; those of the cluster are added
   */
  protected NetworkCrashTests(String system, Map<String, String> mode) {
    super(system, variant(), mode);
  }

  /** Containers have networks of their own in any case. */
  private static Map<String, String> variant() {
    return ClusterProvider.CONTAINERS.equals(System.getProperty(ClusterProvider.NODES_PROPERTY))
        ? Map.of()
        : Map.of(ClusterProvider.NETWORK_PROPERTY, "true");
  }

  /** The same system in the same mode, wherever its nodes listen. */
  @Override
  protected String column() {
    return system;
  }

  @Seeds.Each
  @DisabledIfSystemProperty(
      named = ClusterProvider.NODES_PROPERTY,
      matches = ClusterProvider.CONTAINERS,
      disabledReason = CONTAINERS_REFUSE)
  @DisplayName("ALO-18 ALO-20 clients that were cut off lose nothing and work goes on")
  void alo18_alo20_clientsThatWereCutOffLoseNothing(long seed) throws Exception {
    run(new ClientsCutOff(), seed);
  }

  @Seeds.Each
  @DisabledIfSystemProperty(
      named = ClusterProvider.NODES_PROPERTY,
      matches = ClusterProvider.CONTAINERS,
      disabledReason = CONTAINERS_REFUSE)
  @DisplayName("ALO-20 a slow network loses nothing and work goes on")
  void alo20_aSlowNetworkLosesNothing(long seed) throws Exception {
    run(new SlowNetwork(), seed);
  }
}
