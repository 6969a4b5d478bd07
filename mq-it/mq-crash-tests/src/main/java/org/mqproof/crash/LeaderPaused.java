package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The leader is stopped (SIGSTOP) until it is replaced, or, where nobody replaces it, until every
 * call has run into its bound; then it goes on.
 */
final class LeaderPaused extends Fault {

  private int leader;

  LeaderPaused() {
    super("leader SIGSTOP", "ALO-18, ALO-20", Harms.NODE);
  }

  @Override
  protected void strike(Cell cell) {
    leader = cell.cluster().leader(cell.queue());
    cell.cluster().pause(leader);
    cell.struck("node %d paused".formatted(leader));
  }

  @Override
  protected String tookEffect(Cell cell) {
    if (cell.pausedLeaderIsReplaced()) {
      return cell.awaitAnotherLeader(leader);
    }
    String evidence = cell.assertNothingIsConfirmed("node %d was paused".formatted(leader));
    assertThat(cell.anotherLeads(leader)).as("another leads than node %d", leader).isFalse();
    return evidence;
  }

  @Override
  protected void whileItLasts(Cell cell) {
    if (cell.pausedLeaderIsReplaced()) {
      cell.awaitEverySender();
    }
    assertThat(cell.cluster().process(leader).isAlive()).as("the paused leader lives").isTrue();
  }

  @Override
  protected void heal(Cell cell) {
    cell.cluster().resume(leader);
    if (cell.pausedLeaderIsReplaced()) {
      cell.cluster().heal();
    } else {
      cell.struck("node %d goes on".formatted(leader));
      cell.cluster().heal(); // the others may have shut it out, until somebody starts it anew
      cell.awaitEverySender();
    }
  }
}
