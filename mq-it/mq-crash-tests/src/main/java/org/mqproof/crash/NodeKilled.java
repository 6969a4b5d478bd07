package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

/** The leader of the queue, or another node, is killed and later started again. */
class NodeKilled extends Fault {

  private final boolean leads;
  private int node;

  NodeKilled(String name, String rules, boolean leads) {
    super(name, rules, Harms.NODE);
    this.leads = leads;
  }

  /** The node is killed whose death hurts the queue most. */
  static NodeKilled leader() {
    return new NodeKilled("leader SIGKILL", "ALO-02, ALO-20", true);
  }

  /** A node is killed that does not lead; which, follows from the seed. */
  static NodeKilled follower() {
    return new NodeKilled("follower SIGKILL", "ALO-02, ALO-20", false);
  }

  @Override
  protected final void strike(Cell cell) throws IOException {
    int leader = cell.cluster().leader(cell.queue());
    node = leads ? leader : otherThan(leader, cell);
    kill(cell, node);
  }

  /** Ends the node's process. */
  void kill(Cell cell, int node) throws IOException {
    cell.killNode(node);
  }

  /** Which node it is that was killed, from 1. */
  final int node() {
    return node;
  }

  private static int otherThan(int leader, Cell cell) {
    int other = 1 + cell.random().nextInt(cell.cluster().nodes() - 1);
    return other < leader ? other : other + 1;
  }

  @Override
  protected String tookEffect(Cell cell) throws IOException {
    return cell.assertKilledAreDead();
  }

  @Override
  protected void whileItLasts(Cell cell) {
    if (leads && cell.deadLeaderIsReplaced()) {
      cell.awaitAnotherLeader(node);
    }
    if (!leads || cell.deadLeaderIsReplaced()) {
      cell.awaitEverySender();
      assertThat(cell.cluster().process(node).isAlive()).as("node %d lives", node).isFalse();
    }
  }

  @Override
  protected void heal(Cell cell) {
    cell.cluster().restart(node);
  }
}
