package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/**
 * The leader is cut off from the other nodes and clients still reach it: the others replace it, or,
 * where a lock that the network does not touch says who leads, it goes on alone.
 */
final class LeaderIsolated extends Fault {

  /** So long, at least, an active node waits for a backup that says nothing. */
  private static final Duration STALL = Duration.ofSeconds(1);

  private int leader;

  LeaderIsolated() {
    super("leader isolated", "ALO-02, ALO-20", Harms.NODE);
  }

  @Override
  protected void strike(Cell cell) {
    leader = cell.cluster().leader(cell.queue());
    cell.cluster().isolate(leader);
    cell.struck("node %d isolated".formatted(leader));
  }

  @Override
  protected String tookEffect(Cell cell) {
    if (cell.isolatedLeaderIsReplaced()) {
      return cell.awaitAnotherLeader(leader);
    }
    Await.until(
        "clients of node %d wait until it no longer waits for its backup".formatted(leader),
        cell.patience(),
        () -> cell.load().confirms.longest().compareTo(STALL) > 0);
    assertThat(cell.anotherLeads(leader)).as("another leads than node %d", leader).isFalse();
    return "node %d goes on alone".formatted(leader);
  }

  @Override
  protected void whileItLasts(Cell cell) {
    cell.awaitEverySender();
    assertThat(cell.cluster().process(leader).isAlive()).as("the isolated node lives").isTrue();
  }
}
