package org.mqproof.crash;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Receiver;
import org.mqproof.Traits;
import org.mqproof.ledger.ReceiverLog;

/**
 * A receiver works for minutes on what it holds, while others join it and one in a process of its
 * own is killed. The others must go on, and nothing may be lost, whatever becomes of its ack.
 */
final class HeldWhileOthersChange extends Fault {

  private static final int MOST_CLAIMED = 50;

  /** Longer than what brokers give a silent client by default: 45 s of Kafka, 60 s of RabbitMQ. */
  private static final Duration HELD = Duration.ofMinutes(2);

  private static final Duration BETWEEN_BLOWS = Duration.ofSeconds(5);

  private final AtomicLong delivered = new AtomicLong();
  private @Nullable Receiver holder;
  private @Nullable ReceiverLog log;
  private @Nullable HoldingChild child;
  private List<Delivery> held = List.of();
  private long heldSince;
  private long acked;

  HeldWhileOthersChange() {
    super("held while others change", "ALO-07", Harms.CLIENT);
  }

  @Override
  protected int senders() {
    return 1;
  }

  @Override
  protected int receivers() {
    return 1;
  }

  @Override
  protected void strike(Cell cell) throws Exception {
    HoldingChild started = new HoldingChild(cell, MOST_CLAIMED, body -> {});
    child = started;
    started.awaitClaims();
    Receiver receiver = cell.mq().receiver(cell.queue());
    holder = receiver;
    held = receiver.receive(MOST_CLAIMED, CrashHarness.PATIENCE);
    heldSince = System.nanoTime();
    assertThat(held).as("messages that the receiver holds").isNotEmpty();
    ReceiverLog record = cell.ledger().newReceiver();
    log = record;
    record.delivered(held, sentAtNanos -> {});
    cell.load().startReceivers(CrashHarness.RECEIVERS);
    hold(cell, BETWEEN_BLOWS);
    started.kill(cell);
  }

  @Override
  protected String tookEffect(Cell cell) {
    requireNonNull(child).requireDead();
    return "%d receivers more and one killed, while another held %d messages"
        .formatted(CrashHarness.RECEIVERS, held.size());
  }

  @Override
  protected void whileItLasts(Cell cell) throws Exception {
    cell.awaitEverySender();
    Traits traits = cell.mq().traits();
    hold(
        cell,
        traits
            .claimPeriod()
            .filter(claim -> !traits.extendable())
            .map(claim -> claim.dividedBy(2))
            .orElse(HELD));
    ReceiverLog record = requireNonNull(log);
    try {
      record.ack(requireNonNull(holder), held).get(cell.patience().toSeconds(), TimeUnit.SECONDS);
      acked = held.size();
    } catch (ExecutionException e) {
      record.gaveBack();
      assertThat(e.getCause())
          .as("the ack of what was held")
          .isInstanceOf(AckFailedException.class);
    }
    cell.ledger().mark("%d of %d acked after they were held".formatted(acked, held.size()));
    requireNonNull(holder).close();
  }

  /** Keeps the claims as a long job does, until they are so old; the others go on meanwhile. */
  private void hold(Cell cell, Duration age)
      throws ExecutionException, InterruptedException, TimeoutException {
    Optional<Duration> claim = cell.mq().traits().claimPeriod();
    boolean extended = claim.isPresent() && cell.mq().traits().extendable();
    Duration step = claim.orElse(HELD).dividedBy(4);
    Duration left = age.minus(Await.since(heldSince));
    while (left.compareTo(Duration.ZERO) > 0) {
      if (extended) {
        requireNonNull(holder).extend(held).get(cell.patience().toSeconds(), TimeUnit.SECONDS);
      }
      long before = delivered.get();
      Duration wait = left.compareTo(step) < 0 ? left : step;
      cell.awaitRandom(wait, wait.plusMillis(1));
      assertThat(Await.holdsWithin(cell.patience(), () -> delivered.get() > before))
          .as("anything is delivered to the others")
          .isTrue();
      left = age.minus(Await.since(heldSince));
    }
  }

  /** Nothing is broken but the dead. */
  @Override
  protected void heal(Cell cell) {}

  @Override
  protected void received(List<Delivery> batch) {
    delivered.addAndGet(batch.size());
  }

  @Override
  protected Map<String, Long> counts() {
    return Map.of("held", (long) held.size(), "held-acked", acked);
  }

  @Override
  public void close() {
    HoldingChild started = child;
    if (started != null) {
      started.close();
    }
    Receiver receiver = holder;
    if (receiver != null) {
      receiver.close();
    }
  }
}
