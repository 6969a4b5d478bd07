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
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;

/**
 * What one receiver of a share group holds: the messages of the last fetch, and the acks and
 * releases that are on their way. Here the thread that polls and the thread that receives meet.
 *
 * <p>Thread-safe, by one lock. Futures are completed outside of it.
 */
final class ShareClaims {

  /** What the consumer is to tell the broker of a message. */
  record Answer(ConsumerRecord<byte[], byte[]> message, AcknowledgeType type) {}

  /**
   * An answer on its way, and the calls that wait for it.
   *
   * @param again whether the message was answered before, in a claim that ended meanwhile: which of
   *     the two answers the broker speaks of cannot be told
   */
  private record Sending(ShareDelivery delivery, List<PendingAck> waiting, boolean again) {}

  /** How long after a receive messages are still fetched for the next one. */
  private static final long DEMAND_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final long freshNanos;
  private final long lockNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final ArrayDeque<ShareDelivery> buffered = new ArrayDeque<>();
  private final List<ShareDelivery> fetched = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();
  private final Map<TopicPartition, Map<Long, Sending>> sending = new HashMap<>();
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
    List<ShareDelivery> ours = ours(deliveries);
    PendingAck ack = PendingAck.ack(() -> ours.stream().map(ShareDelivery::outcome).toList());
    return answer(ours, ShareDelivery.State.ACKED, AcknowledgeType.ACCEPT, ack);
  }

  PendingAck release(Collection<? extends Delivery> deliveries) {
    return answer(
        ours(deliveries),
        ShareDelivery.State.RELEASED,
        AcknowledgeType.RELEASE,
        PendingAck.release());
  }

  private List<ShareDelivery> ours(Collection<? extends Delivery> deliveries) {
    List<ShareDelivery> ours = new ArrayList<>(deliveries.size());
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof ShareDelivery share) || share.owner() != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
      ours.add(share);
    }
    return ours;
  }

  private PendingAck answer(
      List<ShareDelivery> deliveries,
      ShareDelivery.State state,
      AcknowledgeType type,
      PendingAck call) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      requireOpen();
      for (ShareDelivery delivery : deliveries) {
        if (delivery.state() == ShareDelivery.State.CLAIMED && failure == null) {
          delivery.become(state);
          answers.add(new Answer(delivery.record(), type));
          send(delivery, done);
        }
        await(delivery, state, call);
      }
      work.signalAll();
      if (call.isEnded()) {
        done.add(call);
      }
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
    return call;
  }

  private void send(ShareDelivery delivery, List<PendingAck> done) {
    Map<Long, Sending> underWay = sending(delivery);
    long offset = delivery.record().offset();
    Sending earlier = underWay.get(offset);
    underWay.put(offset, new Sending(delivery, new ArrayList<>(), earlier != null));
    if (earlier != null) {
      if (earlier.delivery().state() == ShareDelivery.State.ACKED) {
        earlier.delivery().become(ShareDelivery.State.UNKNOWN);
      }
      MqException cause =
          new MqException("the claim on " + delivery + " ended before its ack was answered");
      earlier.waiting().forEach(call -> end(call, cause, done));
    }
  }

  private Map<Long, Sending> sending(ShareDelivery delivery) {
    return sending.computeIfAbsent(
        new TopicPartition(delivery.record().topic(), delivery.record().partition()),
        partition -> new HashMap<>());
  }

  private void await(ShareDelivery delivery, ShareDelivery.State wanted, PendingAck call) {
    if (delivery.state() == wanted) {
      Sending underWay = sending(delivery).get(delivery.record().offset());
      if (underWay != null && underWay.delivery() == delivery) {
        call.addPart();
        underWay.waiting().add(call); // of two equal calls both wait for the same answer
      }
    } else if (delivery.state() == ShareDelivery.State.CLAIMED && failure != null) {
      call.refuse(failure); // nobody would send it
    } else if (wanted == ShareDelivery.State.ACKED
        && delivery.state() != ShareDelivery.State.SETTLED) {
      call.refuse(new MqException("the claim on " + delivery + " had ended"));
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

  /**
   * Takes over what a poll returned.
   *
   * @param sinceNanos before it was fetched, by the nanosecond clock
   */
  void arrived(ConsumerRecords<byte[], byte[]> records, long sinceNanos) {
    lock.lock();
    try {
      fetched.clear();
      fetchedNanos = sinceNanos;
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

  /** What was acked or released since the last call, for the consumer. */
  List<Answer> takeAnswers() {
    lock.lock();
    try {
      if (answers.isEmpty()) {
        return List.of();
      }
      List<Answer> taken = List.copyOf(answers);
      answers.clear();
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
  boolean hasAnswersToSend() {
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
      return sending.values().stream().anyMatch(underWay -> !underWay.isEmpty());
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

  /**
   * The broker answered acks and releases.
   *
   * @param cause why they failed, or null
   * @param ended whether they failed because the claims had ended
   */
  void settled(
      TopicPartition partition, Set<Long> offsets, @Nullable MqException cause, boolean ended) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      Map<Long, Sending> underWay = sending.getOrDefault(partition, Map.of());
      for (Long offset : offsets) {
        Sending answered = underWay.remove(offset);
        if (answered != null) { // what has expired is released without a call
          if (answered.delivery().state() == ShareDelivery.State.ACKED) {
            answered
                .delivery()
                .become(
                    cause == null
                        ? ShareDelivery.State.SETTLED
                        : ended && !answered.again()
                            ? ShareDelivery.State.ENDED
                            : ShareDelivery.State.UNKNOWN);
          }
          answered.waiting().forEach(call -> end(call, cause, done));
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
          .flatMap(underWay -> underWay.values().stream())
          .flatMap(answer -> answer.waiting().stream())
          .forEach(call -> end(call, cause, done));
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
      if (!closed && answers.isEmpty() && !(isDemanded() && unanswered == 0)) {
        long unused = work.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // only our own close interrupts this thread
    } finally {
      lock.unlock();
    }
  }
}
