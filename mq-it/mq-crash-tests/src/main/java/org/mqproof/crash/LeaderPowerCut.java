package org.mqproof.crash;

import java.io.IOException;

/**
 * The leader of the queue loses its power while the others live, and comes back with what was on
 * its disk.
 */
final class LeaderPowerCut extends NodeKilled {

  LeaderPowerCut() {
    super("power cut of the leader", "ALO-02, ALO-20, ALO-21", true);
  }

  @Override
  protected void prepare(Cell cell) throws Exception {
    Disks.sync(cell.cluster());
  }

  @Override
  void kill(Cell cell, int node) throws IOException {
    Disks.writeWitness(cell.cluster().disk(node));
    cell.cutPower(node);
  }

  @Override
  protected String tookEffect(Cell cell) throws IOException {
    String dead = super.tookEffect(cell);
    Disks.assertWitnessIsGone(cell.cluster().disk(node()), "the disk of node " + node());
    return dead + ", and what was not synced is gone";
  }
}
