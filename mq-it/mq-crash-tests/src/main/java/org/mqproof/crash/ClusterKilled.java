package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;

/**
 * All nodes are killed at once, with messages stored, in flight and under way, and started again.
 */
class ClusterKilled extends Fault {

  private @Nullable Receiver holder;
  private List<Delivery> inFlight = List.of();

  ClusterKilled() {
    super("cluster SIGKILL", "ALO-16, ALO-20", Harms.CLUSTER);
  }

  /** None: what was sent before must still be there. */
  @Override
  protected int receivers() {
    return 0;
  }

  @Override
  protected void prepare(Cell cell) throws InterruptedException {
    cell.sendAll(1_000);
    long start = System.nanoTime();
    while (inFlight.isEmpty()) {
      assertThat(Await.since(start))
          .as("until some are in flight, when the cluster dies")
          .isLessThan(CrashHarness.PATIENCE);
      try {
        Receiver receiver = cell.mq().receiver(cell.queue());
        holder = receiver;
        inFlight = receiver.receive(50, CrashHarness.PATIENCE);
      } catch (MqException e) {
        close(); // a busy machine was slower than a call's bound: another receiver tries
      }
    }
  }

  @Override
  protected void strike(Cell cell) {
    cell.killAllNodes();
  }

  @Override
  protected String tookEffect(Cell cell) {
    return "%s; %d messages in flight".formatted(cell.assertKilledAreDead(), inFlight.size());
  }

  @Override
  protected void heal(Cell cell) {
    cell.cluster().heal();
    cell.awaitEverySender();
    close(); // only now: what it holds was in flight when the cluster died
  }

  @Override
  public void close() {
    Receiver receiver = holder;
    if (receiver != null) {
      receiver.close();
    }
  }
}
