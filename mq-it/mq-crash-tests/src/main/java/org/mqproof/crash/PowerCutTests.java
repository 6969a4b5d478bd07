package org.mqproof.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.mqproof.cluster.ClusterProvider;

/**
 * The cells of the fault matrix that are cuts of the power. Each node has a disk of its own.
 * Skipped where no disks can be made, or are not allowed.
 */
public abstract class PowerCutTests extends CrashHarness {

  private final boolean survives;

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param mode settings of the mode; those of the cluster are added
   * @param survives whether the run fails if anything confirmed is lost
   */
  protected PowerCutTests(String system, Map<String, String> mode, boolean survives) {
    this(system, Map.of(), mode, survives);
  }

  /**
   * A variant of a system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param variant system properties of the provider, and their values
   * @param mode settings of the mode; those of the cluster are added
   * @param survives whether the run fails if anything confirmed is lost
   */
  protected PowerCutTests(
      String system, Map<String, String> variant, Map<String, String> mode, boolean survives) {
    super(system, withDisks(variant), mode);
    this.survives = survives;
  }

  private static Map<String, String> withDisks(Map<String, String> variant) {
    Map<String, String> all = new HashMap<>(variant);
    all.put(ClusterProvider.POWER_PROPERTY, "true");
    return all;
  }

  /** The same system in the same mode, wherever its data is. */
  @Override
  protected String column() {
    return system;
  }

  @Override
  String recordedAs() {
    boolean xfs = System.getProperty(ClusterProvider.DISKS_PROPERTY, "").equals("xfs");
    return xfs ? column() + " xfs" : column();
  }

  @Override
  protected boolean eachRunHasItsOwnCluster() {
    return true;
  }

  @Override
  protected boolean survivesPowerCut() {
    return survives;
  }

  /**
   * How long the system may wait before it writes a queue that was created.
   *
   * @return zero, unless overridden
   */
  protected Duration writeDelay() {
    return Duration.ZERO;
  }

  @Seeds.Each
  @DisplayName("ALO-21 ALO-20 all nodes lose their power at once; what becomes of messages is told")
  void alo21_alo20_allNodesLoseTheirPower(long seed) throws Exception {
    run(new PowerCut(writeDelay()), seed);
  }

  /** Not in every build: what all lose at once is more. */
  @Tag(Tags.FULL)
  @Seeds.Each
  @DisplayName("ALO-02 ALO-20 ALO-21 the leader loses its power under load, the others live")
  void alo02_alo20_alo21_leaderLosesItsPower(long seed) throws Exception {
    assumeTrue(survivesTheLossOfANode(), "ALO-02 binds only where replication is awaited");
    assumeTrue(Disks.of(cluster()).size() == cluster().nodes(), "the nodes share a disk");
    assumeTrue(cluster().nodes() > 1, "the leader is the only node");
    run(new LeaderPowerCut(), seed);
  }
}
