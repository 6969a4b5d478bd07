package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;

/**
 * A cell of a power cut is red when the power was not cut, and green when it was and the system,
 * one that awaits its disk, lost nothing.
 */
@Tag(Tags.FULL)
class SwitchedOffPowerCutIT extends CrashHarness {

  private boolean killedOnly;
  private boolean nothingHappens;

  SwitchedOffPowerCutIT() {
    super("mongodb", Map.of(ClusterProvider.POWER_PROPERTY, "true"), MongoMajorityPowerCutIT.MODE);
  }

  @Override
  protected Cluster cluster() {
    if (killedOnly) {
      return new KilledOnly(super.cluster());
    }
    return nothingHappens ? new HarmlessCluster(super.cluster()) : super.cluster();
  }

  @Override
  protected boolean survivesPowerCut() {
    return true;
  }

  /** These runs are none of the matrix. */
  @Override
  void keep(CellRun run) {}

  @Test
  @DisplayName("nodes that are killed, and whose power is not cut, fail the cell")
  void killedAndNotCut() {
    requireFailsWhenKilledOnly(
        new PowerCut(), "bytes that were not synced, on disk 1 after the cut");
  }

  @Test
  @DisplayName("a leader that is killed, and whose power is not cut, fails its cell")
  void leaderKilledAndNotCut() {
    requireFailsWhenKilledOnly(
        new LeaderPowerCut(), "bytes that were not synced, on the disk of node");
  }

  private void requireFailsWhenKilledOnly(Fault fault, String message) {
    killedOnly = true;
    try {
      assertThatThrownBy(() -> run(fault, 1))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(message);
    } finally {
      killedOnly = false;
    }
  }

  @Test
  @DisplayName("a cut in which nothing happens fails the cell")
  void nothingHappened() {
    nothingHappens = true;
    try {
      assertThatThrownBy(() -> run(new PowerCut(), 1))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("killed, and alive");
    } finally {
      nothingHappens = false;
    }
  }

  @Test
  @DisplayName("the control: a system that awaits its disk loses nothing")
  void theControl() throws Exception {
    run(new PowerCut(), 1);
  }

  /** Does to its processes what a power cut does, and nothing to its disks. */
  private static final class KilledOnly extends HarmlessCluster {

    KilledOnly(Cluster real) {
      super(real);
    }

    @Override
    public void cutPower(int node) {
      real.kill(node);
    }

    @Override
    public void cutPowerAll() {
      real.killAll();
    }

    @Override
    public void heal() {
      real.heal();
    }
  }
}
