package org.mqproof.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.support.Causes;

/**
 * Receives from one topic as a member of a consumer group.
 *
 * <p>The broker hides a partition from the other members while it is assigned to this one. Kafka
 * can only be told that everything in a partition below an offset is done; an ack is therefore held
 * back until all earlier deliveries of the partition are acked. When a partition moves to another
 * receiver, this one gives it away only after what it delivered is acked and committed, as long as
 * {@code rebalance.hold} allows; until then it fetches nothing new.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 */
final class KafkaReceiver extends PollingReceiver {

  private static final Duration IDLE_POLL = Duration.ofMillis(100);

  /** Kafka tells of a commit's end only within a poll; a longer one would delay the acks. */
  private static final Duration COMMITTING_POLL = Duration.ofMillis(1);

  /**
   * Some rebalances long. Others may keep their partitions longer, until they acked; or for good.
   */
  private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer;
  private final GroupClaims claims;
  private final AtomicBoolean wakeupRequested = new AtomicBoolean();
  // Written by the poller only: whether it waits in a poll that an ack should cut short, unless the
  // next commit is not due yet.
  private volatile boolean waiting;
  private volatile long nextCommitNanos = System.nanoTime();

  // The poller's own.
  private boolean committing;
  private boolean commitsFail;
  private long commitsFailSinceNanos;

  /**
   * Polls nothing yet.
   *
   * @param consumer for the poller alone
   * @param onClose told of the end, and until when, by the nanosecond clock, it may use
   */
  KafkaReceiver(
      KafkaSettings settings,
      String queue,
      org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> consumer,
      Liveness liveness,
      ObjLongConsumer<PollingReceiver> onClose) {
    super(settings, queue, liveness, onClose);
    this.consumer = consumer;
    claims =
        new GroupClaims(settings.largestPoll(), 2L * settings.get(KafkaSettings.FETCH_MAX_BYTES));
  }

  /** Starts, and gives the group some time to hand over partitions: then it really competes. */
  @Override
  KafkaReceiver start() {
    super.start();
    try {
      claims.awaitAssignment(JOIN_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next receive tells
    }
    return this;
  }

  @Override
  List<Delivery> take(int max, long timeoutNanos) throws InterruptedException {
    return claims.take(max, timeoutNanos);
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    PendingAck ack = claims.ack(deliveries);
    if (waiting && isCommitDue() && claims.hasToCommit()) {
      wakePoller();
    }
    return ack.future();
  }

  /** The message is handed out here again: a group knows no other way to give one back. */
  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    claims.release(claims.claimed(deliveries));
    return CompletableFuture.completedFuture(null);
  }

  /** A claim lasts as long as the partition is assigned. */
  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    List<KafkaDelivery> unused = claims.claimed(deliveries);
    return CompletableFuture.completedFuture(null);
  }

  private void wakePoller() {
    if (wakeupRequested.compareAndSet(false, true)) {
      consumer.wakeup();
    }
  }

  @Override
  void endCalls() {
    claims.close();
    consumer.wakeup();
  }

  // From here on the poller's.

  @Override
  void subscribe() {
    consumer.subscribe(List.of(queue), new Rebalance());
  }

  @Override
  void step() {
    try {
      commitIfDue();
      if (claims.isFull()) {
        claims.awaitWork(FULL_WAIT_NANOS);
        if (claims.isFull()) {
          pauseOnly(claims.withoutRoom());
          claims.arrived(consumer.poll(Duration.ZERO)); // for rebalances, commits, new partitions
        }
        return;
      }
      pauseOnly(List.of());
      poll();
    } catch (WakeupException e) {
      wakeupRequested.set(false); // an ack to commit, or the end: the loop looks for both
    } catch (RetriableException e) {
      claims.awaitWork(RETRY_NANOS);
    }
  }

  private void pauseOnly(List<TopicPartition> partitions) {
    Set<TopicPartition> paused = consumer.paused();
    if (!paused.isEmpty() || !partitions.isEmpty()) {
      Set<TopicPartition> resumed = new HashSet<>(paused);
      partitions.forEach(resumed::remove);
      consumer.resume(resumed);
      consumer.pause(partitions);
    }
  }

  private void poll() {
    waiting = !committing;
    try {
      // Looked at after "waiting" was set: an ack that comes later sees it and wakes this poll.
      boolean commitNow = waiting && isCommitDue() && claims.hasToCommit();
      var records = consumer.poll(commitNow ? Duration.ZERO : pollTime());
      waiting = false;
      if (!records.isEmpty()) {
        liveness.answered();
        claims.arrived(records);
      }
    } finally {
      waiting = false;
    }
  }

  private Duration pollTime() {
    if (committing) {
      return COMMITTING_POLL;
    }
    long untilCommit = nextCommitNanos - System.nanoTime();
    return untilCommit > 0 && untilCommit < IDLE_POLL.toNanos()
        ? Duration.ofNanos(untilCommit)
        : IDLE_POLL;
  }

  private boolean isCommitDue() {
    return System.nanoTime() - nextCommitNanos >= 0;
  }

  /** One commit at a time: what is acked while it is under way goes into the next. */
  private void commitIfDue() {
    if (committing || !isCommitDue()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = claims.toCommit();
    if (offsets.isEmpty()) {
      return;
    }
    committing = true;
    nextCommitNanos = System.nanoTime() + settings.get(KafkaSettings.COMMIT_INTERVAL).toNanos();
    consumer.commitAsync(
        offsets,
        (committed, failure) -> {
          committing = false;
          if (failure == null) {
            commitSucceeded(offsets);
          } else {
            nextCommitNanos = System.nanoTime() + RETRY_NANOS;
            commitFailed(offsets, failure);
          }
        });
  }

  private void commitSucceeded(Map<TopicPartition, OffsetAndMetadata> offsets) {
    commitsFail = false;
    liveness.answered();
    claims.committed(offsets);
  }

  private void commitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception failure) {
    long now = System.nanoTime();
    if (!commitsFail) {
      commitsFail = true;
      commitsFailSinceNanos = now;
    }
    if (now - commitsFailSinceNanos >= settings.callBound().toNanos()) {
      claims.commitFailed(offsets, commitFailure(failure));
    }
  }

  private MqException commitFailure(Exception failure) {
    return new MqException(
        "%s: acks of queue %s could not be committed: %s"
            .formatted(settings.endpoint(), queue, Causes.reason(failure)),
        failure);
  }

  /** Commits what is acked and waits for it; what could not be committed stays to be committed. */
  private void commitNow(Duration bound) {
    long deadline = System.nanoTime() + bound.toNanos();
    Map<TopicPartition, OffsetAndMetadata> offsets = claims.toCommit();
    while (!offsets.isEmpty()) {
      try {
        long left = Math.max(1, deadline - System.nanoTime());
        consumer.commitSync(offsets, Duration.ofNanos(left));
        commitSucceeded(offsets);
        return;
      } catch (WakeupException e) {
        wakeupRequested.set(false); // meant for a poll
      } catch (RebalanceInProgressException e) {
        claims.awaitWork(RETRY_NANOS);
      } catch (InterruptException e) {
        claims.commitFailed(offsets, commitFailure(e));
        return; // out of time
      } catch (KafkaException e) {
        claims.commitFailed(offsets, commitFailure(e));
        return;
      }
      if (System.nanoTime() - deadline >= 0) {
        return;
      }
    }
  }

  @Override
  void leave(MqException end) {
    try {
      commitNow(settings.stepBound());
    } finally {
      claims.endAll(end);
      consumer.close(CloseOptions.timeout(settings.stepBound()));
    }
  }

  /** Called within a poll or close, on the poller. */
  private final class Rebalance implements ConsumerRebalanceListener {

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      claims.assign(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      waiting = false;
      long deadline = System.nanoTime() + settings.get(KafkaSettings.REBALANCE_HOLD).toNanos();
      while (!isClosing() && !claims.release(partitions) && deadline - System.nanoTime() > 0) {
        commitNow(settings.stepBound());
        claims.awaitWork(FULL_WAIT_NANOS);
      }
      commitNow(settings.stepBound());
      claims.end(
          partitions,
          new MqException(
              "%s: %s moved to another receiver".formatted(settings.endpoint(), partitions)));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      waiting = false;
      claims.end(
          partitions,
          new MqException(
              "%s: the group took %s for dead and gave away %s"
                  .formatted(settings.endpoint(), "this receiver", partitions)));
    }
  }
}
