package org.mqproof.crash;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;

/**
 * A receiver in a process of its own is killed between receive and ack, while a sender and another
 * receiver are at work. Its messages must come back to the other one within the declared bound,
 * also if that one never sees the end of what waits.
 */
final class ReceiverKilled extends Fault {

  private static final int FEW = 300;
  private static final int MANY = 10_000;

  /** With at most 200 messages in a batch, slower than one sender. */
  private static final Duration REST = Duration.ofSeconds(1);

  private static final int MOST_CLAIMED = 50;

  /** How long the messages are seen to be hidden before the kill. */
  private static final Duration HIDDEN = Duration.ofSeconds(2);

  private final Set<ByteBuffer> claimed = ConcurrentHashMap.newKeySet();

  /** What the other receiver got, and when first. */
  private final Map<ByteBuffer, Long> got = new ConcurrentHashMap<>();

  private final int sent;

  /** Until it is open, the other receiver rests after each batch. */
  private final CountDownLatch fast;

  private Map<ByteBuffer, Long> sequences = Map.of();
  private @Nullable HoldingChild child;

  private ReceiverKilled(String name, String rules, int sent, boolean slow) {
    super(name, rules, Harms.CLIENT);
    this.sent = sent;
    this.fast = new CountDownLatch(slow ? 1 : 0);
  }

  /** The other receiver is faster than the sender. */
  static ReceiverKilled withoutBacklog() {
    return new ReceiverKilled("receiver SIGKILL", "ALO-07", FEW, false);
  }

  /** The other receiver is slower than the sender, until what the dead one claimed is back. */
  static ReceiverKilled behindBacklog() {
    return new ReceiverKilled("receiver SIGKILL, backlog", "ALO-07, ALO-23", MANY, true);
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
  protected void prepare(Cell cell) throws Exception {
    sequences = cell.sendAll(sent);
    int wanted = 1 + cell.random().nextInt(MOST_CLAIMED);
    HoldingChild started = new HoldingChild(cell, wanted, claimed::add);
    child = started;
    started.awaitClaims();
  }

  @Override
  protected void received(List<Delivery> batch) {
    long now = System.nanoTime();
    batch.forEach(delivery -> got.putIfAbsent(ByteBuffer.wrap(delivery.message().body()), now));
    try {
      boolean unused = fast.await(REST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the load is being closed
    }
  }

  @Override
  protected void awaitMoment(Cell cell) {
    cell.awaitRandom(HIDDEN, HIDDEN.plusSeconds(1));
    assertThat(claimed).as("messages the child claims").hasSizeBetween(1, MOST_CLAIMED);
    assertThat(sequences.keySet()).as("messages sent").containsAll(claimed);
    Set<ByteBuffer> seen = new HashSet<>(claimed);
    seen.retainAll(got.keySet());
    assertThat(sequencesOf(seen)).as("claimed, and not hidden while the child lives").isEmpty();
  }

  private Map<ByteBuffer, Long> sequencesOf(Set<ByteBuffer> bodies) {
    Map<ByteBuffer, Long> of = new HashMap<>(sequences);
    of.keySet().retainAll(bodies);
    return of;
  }

  @Override
  protected void strike(Cell cell) throws InterruptedException {
    requireNonNull(child).kill(cell);
    if (fast.getCount() > 0) {
      cell.load().healed(); // no broker is broken, and the backlog must grow
    }
  }

  @Override
  protected String tookEffect(Cell cell) {
    requireNonNull(child).requireDead();
    return "receiver killed with %d messages claimed".formatted(claimed.size());
  }

  /** Nothing is broken but the dead: what it claimed comes back. */
  @Override
  protected void heal(Cell cell) {
    cell.awaitEverySender();
    Duration bound = cell.mq().traits().redeliveryBound();
    boolean back = Await.holdsWithin(bound, this::isAllBack);
    long sentBefore = sent + cell.load().confirmed();
    cell.ledger().mark("%d messages waited".formatted(sentBefore - got.size()));
    fast.countDown();
    back = back || (cell.comesBackBehindWhatWaits() && backBefore(sentBefore));
    Set<ByteBuffer> missing = new HashSet<>(claimed);
    missing.removeAll(got.keySet());
    assertThat(back)
        .as(
            "claimed by the dead and back after %s; missing sequences %s",
            bound, sequencesOf(missing).values())
        .isTrue();
    cell.redelivered(
        claimed.stream().mapToLong(body -> requireNonNull(got.get(body))).summaryStatistics());
  }

  private boolean isAllBack() {
    return got.keySet().containsAll(claimed);
  }

  /** Whether they are back before anything that was sent after the bound. */
  private boolean backBefore(long sentBefore) {
    return Await.holdsWhileProgress(
            CrashHarness.PATIENCE, got::size, () -> isAllBack() || got.size() >= sentBefore)
        && isAllBack();
  }

  @Override
  public void close() {
    fast.countDown();
    HoldingChild started = child;
    if (started != null) {
      started.close();
    }
  }
}
