package org.mqproof.kafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;

/**
 * What one receiver of a share group holds: the messages of the last fetch, and the acks that are
 * on their way. Here the thread that polls and the thread that receives meet.
 *
 * <p>Thread-safe, by one lock. Futures are completed outside of it.
 */
final class ShareClaims {

  /** How long after a receive messages are still fetched for the next one. */
  private static final long DEMAND_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final long freshNanos;
  private final long lockNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final ArrayDeque<ShareDelivery> buffered = new ArrayDeque<>();
  private final List<ShareDelivery> fetched = new ArrayList<>();
  private final List<ConsumerRecord<byte[], byte[]>> acked = new ArrayList<>();
  private final Map<TopicPartition, Map<Long, List<PendingAck>>> sending = new HashMap<>();
  private int unanswered;
  private long fetchedNanos;
  // Who receives with no time-out waits for nothing; the next call finds what this one asked for.
  private long lastDemandNanos;
  private boolean toSend;
  private boolean closed;
  private @Nullable MqException failure;

  /**
   * Without a fetch.
   *
   * @param freshNanos after a fetch, what was not handed out is given back
   * @param lockNanos after a fetch, every claim on its messages has ended
   */
  ShareClaims(long freshNanos, long lockNanos) {
    this.freshNanos = freshNanos;
    this.lockNanos = lockNanos;
    lastDemandNanos = System.nanoTime() - DEMAND_NANOS;
  }

  // For the thread that receives.

  List<Delivery> take(int max, long timeoutNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = timeoutNanos;
      while (true) {
        requireOpen();
        if (failure != null) {
          throw new MqException(String.valueOf(failure.getMessage()), failure);
        }
        List<Delivery> taken = takeBuffered(max);
        if (!taken.isEmpty()) {
          return taken;
        }
        if (!isDemanded()) {
          work.signalAll();
        }
        lastDemandNanos = System.nanoTime();
        if (left <= 0) {
          return taken;
        }
        long wait = Math.min(left, DEMAND_NANOS / 2);
        left -= wait - arrived.awaitNanos(wait);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean isDemanded() {
    return System.nanoTime() - lastDemandNanos < DEMAND_NANOS;
  }

  private List<Delivery> takeBuffered(int max) {
    List<Delivery> taken = new ArrayList<>(Math.min(max, buffered.size()));
    boolean fresh = age() < freshNanos;
    while (fresh && taken.size() < max && !buffered.isEmpty()) {
      ShareDelivery delivery = buffered.removeFirst();
      if (delivery.state() == ShareDelivery.State.CLAIMED) {
        taken.add(delivery);
      }
    }
    return taken;
  }

  PendingAck ack(Collection<? extends Delivery> deliveries) {
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof ShareDelivery ours) || ours.owner() != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
    }
    PendingAck ack = new PendingAck();
    lock.lock();
    try {
      requireOpen();
      for (Delivery delivery : deliveries) {
        ack((ShareDelivery) delivery, ack);
      }
      work.signalAll();
      if (!ack.isEnded()) {
        return ack;
      }
    } finally {
      lock.unlock();
    }
    ack.complete();
    return ack;
  }

  private void ack(ShareDelivery delivery, PendingAck ack) {
    ConsumerRecord<byte[], byte[]> record = delivery.record();
    Map<Long, List<PendingAck>> waiting =
        sending.computeIfAbsent(
            new TopicPartition(record.topic(), record.partition()), partition -> new HashMap<>());
    switch (delivery.state()) {
      case CLAIMED -> {
        if (failure != null) {
          ack.refuse(failure); // nobody would send it
          return;
        }
        delivery.become(ShareDelivery.State.ACKED);
        acked.add(record);
        ack.addPart();
        waiting.put(record.offset(), new ArrayList<>(List.of(ack)));
      }
      case ACKED -> {
        List<PendingAck> earlier = waiting.get(record.offset());
        if (earlier != null) {
          ack.addPart();
          earlier.add(ack); // acked twice: both wait for the same answer
        }
      }
      case ENDED -> ack.refuse(new MqException("the claim on " + delivery + " had ended"));
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      arrived.signalAll();
      work.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this receiver is closed");
    }
  }

  // For the thread that polls.

  /** Whether somebody waits for messages and the consumer has its answer for each of the last. */
  boolean canFetch() {
    lock.lock();
    try {
      return isDemanded() && unanswered == 0 && buffered.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  void arrived(ConsumerRecords<byte[], byte[]> records) {
    lock.lock();
    try {
      fetched.clear();
      fetchedNanos = System.nanoTime();
      for (ConsumerRecord<byte[], byte[]> record : records) {
        ShareDelivery delivery = new ShareDelivery(this, record);
        fetched.add(delivery);
        buffered.add(delivery);
        unanswered++;
      }
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** What was acked since the last call, for the consumer. */
  List<ConsumerRecord<byte[], byte[]>> takeAcked() {
    lock.lock();
    try {
      if (acked.isEmpty()) {
        return List.of();
      }
      List<ConsumerRecord<byte[], byte[]>> taken = List.copyOf(acked);
      acked.clear();
      unanswered -= taken.size();
      toSend = true;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  private long age() {
    return System.nanoTime() - fetchedNanos;
  }

  /** Ends those claims of the last fetch whose time is over. */
  List<ConsumerRecord<byte[], byte[]>> takeExpired() {
    lock.lock();
    try {
      long age = age();
      if (unanswered == 0 || age < freshNanos) {
        return List.of();
      }
      List<ConsumerRecord<byte[], byte[]>> expired = new ArrayList<>();
      for (ShareDelivery delivery : age < lockNanos ? buffered : fetched) {
        if (delivery.state() == ShareDelivery.State.CLAIMED) {
          delivery.become(ShareDelivery.State.ENDED);
          expired.add(delivery.record());
        }
      }
      buffered.clear();
      unanswered -= expired.size();
      toSend |= !expired.isEmpty();
      return expired;
    } finally {
      lock.unlock();
    }
  }

  long nanosToExpiry() {
    lock.lock();
    try {
      long next = buffered.isEmpty() ? lockNanos : freshNanos;
      return unanswered == 0 ? next : Math.max(1, next - age());
    } finally {
      lock.unlock();
    }
  }

  /** Whether the consumer was given answers that it did not send yet. */
  boolean hasAckedToSend() {
    lock.lock();
    try {
      return toSend;
    } finally {
      lock.unlock();
    }
  }

  /** Whether acks are on their way. */
  boolean isSending() {
    lock.lock();
    try {
      return sending.values().stream().anyMatch(waiting -> !waiting.isEmpty());
    } finally {
      lock.unlock();
    }
  }

  /** The consumer is about to send the answers that it was given. */
  void sent() {
    lock.lock();
    try {
      toSend = false;
    } finally {
      lock.unlock();
    }
  }

  /** The broker answered acks. */
  void settled(TopicPartition partition, Set<Long> offsets, @Nullable MqException cause) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      Map<Long, List<PendingAck>> waiting = sending.get(partition);
      if (waiting == null) {
        return; // only releases
      }
      for (Long offset : offsets) {
        List<PendingAck> acks = waiting.remove(offset);
        if (acks != null) {
          acks.forEach(ack -> end(ack, cause, done));
        }
      }
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
  }

  private static void end(PendingAck ack, @Nullable MqException cause, List<PendingAck> done) {
    if (cause == null) {
      ack.settle();
    } else {
      ack.fail(cause);
    }
    if (ack.isEnded()) {
      done.add(ack);
    }
  }

  /** The receiver has ended: what was not answered will not be. */
  void endAll(MqException cause) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      failure = cause;
      buffered.clear();
      sending.values().stream()
          .flatMap(waiting -> waiting.values().stream())
          .flatMap(List::stream)
          .forEach(ack -> end(ack, cause, done));
      sending.clear();
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
  }

  /** Waits for an ack, for demand, or for the end; may return early. */
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  void awaitWork(long nanos) {
    lock.lock();
    try {
      if (!closed && acked.isEmpty() && !(isDemanded() && unanswered == 0)) {
        long unused = work.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // only our own close interrupts this thread
    } finally {
      lock.unlock();
    }
  }
}
