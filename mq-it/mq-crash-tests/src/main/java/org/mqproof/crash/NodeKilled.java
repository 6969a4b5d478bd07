package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

/** The leader of the queue, or another node, is killed and later started again. */
final class NodeKilled extends Fault {

  private final boolean leads;
  private int node;

  private NodeKilled(boolean leads) {
    super(leads ? "leader SIGKILL" : "follower SIGKILL", "ALO-02, ALO-20", Harms.NODE);
    this.leads = leads;
  }

  /** The node is killed whose death hurts the queue most. */
  static NodeKilled leader() {
    return new NodeKilled(true);
  }

  /** A node is killed that does not lead; which, follows from the seed. */
  static NodeKilled follower() {
    return new NodeKilled(false);
  }

  @Override
  protected void strike(Cell cell) {
    int leader = cell.cluster().leader(cell.queue());
    node = leads ? leader : otherThan(leader, cell);
    cell.killNode(node);
  }

  private static int otherThan(int leader, Cell cell) {
    int other = 1 + cell.random().nextInt(cell.cluster().nodes() - 1);
    return other < leader ? other : other + 1;
  }

  @Override
  protected String tookEffect(Cell cell) {
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
