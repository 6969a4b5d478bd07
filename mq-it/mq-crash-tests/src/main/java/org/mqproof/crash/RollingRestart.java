package org.mqproof.crash;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Every node in turn is killed and started again, the next one when the cluster is in sync. An
 * operator would stop the nodes gently; what outlives this outlives that.
 */
final class RollingRestart extends Fault {

  private List<Integer> order = List.of();

  RollingRestart() {
    super("rolling restart", "ALO-02, ALO-20", Harms.NODE);
  }

  @Override
  protected void strike(Cell cell) {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 1; node <= cell.cluster().nodes(); node++) {
      nodes.add(node);
    }
    Collections.shuffle(nodes, cell.random());
    order = List.copyOf(nodes);
    for (int node : order) {
      boolean othersServe =
          cell.deadLeaderIsReplaced() || cell.cluster().leader(cell.queue()) != node;
      cell.killNode(node);
      cell.assertKilledAreDead();
      if (othersServe) {
        cell.awaitEverySender();
      }
      cell.cluster().restart(node);
      cell.awaitEverySender();
    }
  }

  @Override
  protected String tookEffect(Cell cell) {
    return "in the order %s: %s".formatted(order, cell.assertKilledAreDead());
  }
}
