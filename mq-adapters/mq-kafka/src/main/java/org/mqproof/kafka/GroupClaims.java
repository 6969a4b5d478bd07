package org.mqproof.kafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.Deliveries;

/**
 * What one receiver of a consumer group holds: records fetched and not yet delivered, and the
 * claims on its partitions. Here the thread that polls and the thread that receives meet.
 *
 * <p>Thread-safe, by one lock that is taken per batch and not per message. Futures are completed
 * outside of it.
 */
final class GroupClaims {

  /** Records of one partition from one poll. */
  static final class Chunk {
    final List<ConsumerRecord<byte[], byte[]>> records;
    int next;

    Chunk(List<ConsumerRecord<byte[], byte[]>> records) {
      this.records = records;
    }

    int left() {
      return records.size() - next;
    }
  }

  private static final byte[] EMPTY = {};

  private final int fullAtRecords;
  private final long fullAtBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final Map<TopicPartition, PartitionClaims> owned = new HashMap<>();
  // Those with something buffered, in the order in which they are delivered from.
  private final ArrayDeque<PartitionClaims> ready = new ArrayDeque<>();
  // Released, and not handed out again yet.
  private final TreeSet<KafkaDelivery> returned =
      new TreeSet<>(
          Comparator.comparing((KafkaDelivery d) -> d.partition().topicPartition().partition())
              .thenComparing(KafkaDelivery::offset));
  private int bufferedRecords;
  private long bufferedBytes;
  private boolean closed;
  private @Nullable MqException failure;

  /**
   * Starts without partitions.
   *
   * @param fullAtRecords buffered records from which on no more are fetched, at least 1
   * @param fullAtBytes the same in bytes, at least 1
   */
  GroupClaims(int fullAtRecords, long fullAtBytes) {
    this.fullAtRecords = fullAtRecords;
    this.fullAtBytes = fullAtBytes;
  }

  // For the thread that receives.

  /**
   * Delivers what is here, waiting for the first message; each call begins with another partition,
   * or what a dead receiver held of one could wait for all that others brought.
   *
   * @return at most {@code max} deliveries; empty at the time-out
   */
  List<Delivery> take(int max, long timeoutNanos) throws InterruptedException {
    return Deliveries.take(lock, arrived, timeoutNanos, () -> takeBuffered(max));
  }

  private List<Delivery> takeBuffered(int max) {
    requireOpen();
    if (failure != null) {
      throw new MqException(String.valueOf(failure.getMessage()), failure);
    }
    boolean wasFull = isFullLocked();
    List<Delivery> taken = new ArrayList<>(Math.min(max, bufferedRecords + returned.size()));
    while (taken.size() < max && !returned.isEmpty()) {
      taken.add(returned.pollFirst());
    }
    // As much as there is of one: acks are cheapest where deliveries follow each other.
    while (taken.size() < max && !ready.isEmpty()) {
      PartitionClaims partition = ready.removeFirst();
      take(partition, max - taken.size(), taken);
      if (!partition.buffered().isEmpty()) {
        ready.addLast(partition);
      }
    }
    if (wasFull && !isFullLocked()) {
      work.signalAll();
    }
    return taken;
  }

  private void take(PartitionClaims partition, int most, List<Delivery> taken) {
    int left = most;
    Chunk chunk = partition.buffered().peekFirst();
    while (chunk != null && left > 0) {
      int count = Math.min(left, chunk.left());
      take(partition, chunk, count, taken);
      left -= count;
      if (chunk.left() == 0) {
        partition.buffered().removeFirst();
        chunk = partition.buffered().peekFirst();
      }
    }
  }

  private void take(PartitionClaims partition, Chunk chunk, int count, List<Delivery> taken) {
    int end = chunk.next + count;
    long first = chunk.records.get(chunk.next).offset();
    long last = chunk.records.get(end - 1).offset();
    boolean contiguous = last - first == count - 1;
    if (contiguous) {
      partition.deliver(first, last);
    }
    for (int i = chunk.next; i < end; i++) {
      ConsumerRecord<byte[], byte[]> record = chunk.records.get(i);
      if (!contiguous) {
        partition.deliver(record.offset(), record.offset());
      }
      bufferedBytes -= record.value() == null ? 0 : record.value().length;
      taken.add(new KafkaDelivery(partition, record.offset(), message(record)));
    }
    chunk.next = end;
    bufferedRecords -= count;
  }

  /** No body is what another program may have written; ours is empty, then. */
  static Message message(ConsumerRecord<byte[], byte[]> record) {
    byte[] body = record.value() == null ? EMPTY : record.value();
    Map<String, String> headers = TextHeaders.read(record.headers());
    return headers.isEmpty() ? new Message(body) : new Message(body, headers);
  }

  /** Waits until this receiver has its share of the partitions, or has ended. */
  void awaitAssignment(long timeoutNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = timeoutNanos;
      while (owned.isEmpty() && !closed && failure == null && left > 0) {
        left = arrived.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Acks; the result is complete already if there is nothing to wait for. */
  PendingAck ack(Collection<? extends Delivery> deliveries) {
    List<KafkaDelivery> ours = ours(deliveries);
    PendingAck ack = PendingAck.ack(() -> ours.stream().map(GroupClaims::outcome).toList());
    lock.lock();
    try {
      requireOpen();
      // Deliveries of one partition mostly follow each other: one entry for each such run.
      PartitionClaims partition = null;
      long last = -1;
      for (KafkaDelivery delivery : ours) {
        if (delivery.isReleased()) {
          ack.refuse(new MqException("the claim on " + delivery + " had ended: it was released"));
          continue;
        }
        if (partition != delivery.partition()) {
          if (partition != null) {
            partition.await(last, ack);
          }
          partition = delivery.partition();
          last = -1;
        }
        if (partition.ack(delivery.offset())) {
          last = Math.max(last, delivery.offset());
        } else {
          ack.refuse(
              new MqException(
                  "the claim on " + delivery + " had ended: its partition was given away"));
        }
      }
      if (partition != null) {
        partition.await(last, ack);
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

  private static Outcome outcome(KafkaDelivery delivery) {
    return delivery.isReleased()
        ? Outcome.REJECTED
        : delivery.partition().outcome(delivery.offset());
  }

  /** Gives back what is claimed and not acked, to be handed out before anything newer. */
  void release(List<KafkaDelivery> ours) {
    lock.lock();
    try {
      requireOpen();
      for (KafkaDelivery delivery : ours) {
        if (!delivery.isReleased() && delivery.partition().isClaimed(delivery.offset())) {
          returned.add(delivery.again());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * The deliveries, if all are of this receiver.
   *
   * @throws IllegalStateException if this receiver is closed
   */
  List<KafkaDelivery> claimed(Collection<? extends Delivery> deliveries) {
    List<KafkaDelivery> ours = ours(deliveries);
    lock.lock();
    try {
      requireOpen();
    } finally {
      lock.unlock();
    }
    return ours;
  }

  private List<KafkaDelivery> ours(Collection<? extends Delivery> deliveries) {
    return Deliveries.own(deliveries, KafkaDelivery.class, own -> own.partition().owner() == this);
  }

  /** Ends deliveries and acks, and wakes both threads. */
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

  /**
   * Takes over what a poll returned. What a partition brings first goes before all that waits: it
   * may be what a dead receiver held, and much waits if this one is slow.
   */
  void arrived(ConsumerRecords<byte[], byte[]> records) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      for (TopicPartition topicPartition : records.partitions()) {
        PartitionClaims partition = owned.get(topicPartition);
        List<ConsumerRecord<byte[], byte[]>> chunk = records.records(topicPartition);
        if (partition == null || chunk.isEmpty()) {
          continue; // given away meanwhile: its next owner fetches them again
        }
        boolean isNew = partition.isNew();
        long first = chunk.get(0).offset();
        long last = chunk.get(chunk.size() - 1).offset();
        if (!partition.follows(first)) {
          drop(partition);
          partition.end(
              new MqException(
                  topicPartition + " lost records with its leader: their offsets came again"),
              done);
          partition = new PartitionClaims(this, topicPartition);
          owned.put(topicPartition, partition);
        }
        partition.arrived(last);
        if (isNew) {
          ready.addFirst(partition);
        } else if (partition.buffered().isEmpty()) {
          ready.addLast(partition);
        }
        partition.buffered().add(new Chunk(chunk));
        bufferedRecords += chunk.size();
        for (ConsumerRecord<byte[], byte[]> record : chunk) {
          bufferedBytes += record.value() == null ? 0 : record.value().length;
        }
      }
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
  }

  boolean isFull() {
    lock.lock();
    try {
      return isFullLocked();
    } finally {
      lock.unlock();
    }
  }

  private boolean isFullLocked() {
    return bufferedRecords >= fullAtRecords || bufferedBytes >= fullAtBytes;
  }

  /**
   * The partitions of which nothing more should be fetched: none while there is room, else all but
   * the new ones, as long as not twice as many bytes wait as should.
   */
  List<TopicPartition> withoutRoom() {
    lock.lock();
    try {
      if (!isFullLocked()) {
        return List.of();
      }
      boolean all = bufferedBytes >= 2 * fullAtBytes;
      return owned.values().stream()
          .filter(partition -> all || !partition.isNew())
          .map(PartitionClaims::topicPartition)
          .toList();
    } finally {
      lock.unlock();
    }
  }

  void assign(Collection<TopicPartition> partitions) {
    lock.lock();
    try {
      for (TopicPartition partition : partitions) {
        owned.put(partition, new PartitionClaims(this, partition));
      }
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets go of those partitions of which everything delivered is acked: drops what is buffered of
   * them. The others go on delivering what is buffered, for a user who acks only then.
   *
   * @return whether that were all of them
   */
  boolean release(Collection<TopicPartition> partitions) {
    lock.lock();
    try {
      boolean all = true;
      for (TopicPartition topicPartition : partitions) {
        PartitionClaims partition = owned.get(topicPartition);
        if (partition != null) {
          if (partition.isWhole()) {
            drop(partition);
          } else {
            all = false;
          }
        }
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  private void drop(PartitionClaims partition) {
    returned.removeIf(delivery -> delivery.partition() == partition);
    ready.remove(partition);
    for (Chunk chunk : partition.buffered()) {
      bufferedRecords -= chunk.left();
      for (ConsumerRecord<byte[], byte[]> record :
          chunk.records.subList(chunk.next, chunk.records.size())) {
        bufferedBytes -= record.value() == null ? 0 : record.value().length;
      }
    }
    partition.buffered().clear();
  }

  /** The partitions are gone: acks that no commit has covered fail. */
  void end(Collection<TopicPartition> partitions, MqException cause) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      for (TopicPartition topicPartition : partitions) {
        PartitionClaims partition = owned.remove(topicPartition);
        if (partition != null) {
          drop(partition);
          partition.end(cause, done);
        }
      }
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
  }

  /** The receiver has ended: all partitions are gone, and who receives is told why. */
  void endAll(MqException cause) {
    end(ownedPartitions(), cause);
    lock.lock();
    try {
      failure = cause;
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  List<TopicPartition> ownedPartitions() {
    lock.lock();
    try {
      return List.copyOf(owned.keySet());
    } finally {
      lock.unlock();
    }
  }

  /** Whether {@link #toCommit} has something. */
  boolean hasToCommit() {
    lock.lock();
    try {
      for (PartitionClaims partition : owned.values()) {
        if (partition.toCommit() >= 0) {
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** The whole prefixes that grew since the last commit. */
  Map<TopicPartition, OffsetAndMetadata> toCommit() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    lock.lock();
    try {
      for (PartitionClaims partition : owned.values()) {
        long offset = partition.toCommit();
        if (offset >= 0) {
          offsets.put(partition.topicPartition(), new OffsetAndMetadata(offset));
          partition.attempt(offset);
        }
      }
    } finally {
      lock.unlock();
    }
    return offsets;
  }

  /** A commit succeeded: the acks that it covers are settled. */
  void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      offsets.forEach(
          (topicPartition, offset) -> {
            PartitionClaims partition = owned.get(topicPartition);
            if (partition != null) {
              partition.committed(offset.offset(), done);
            }
          });
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
  }

  /** A commit failed too long: the acks that it covers fail, though a later commit may help. */
  void commitFailed(Map<TopicPartition, OffsetAndMetadata> offsets, MqException cause) {
    List<PendingAck> done = new ArrayList<>();
    lock.lock();
    try {
      offsets.forEach(
          (topicPartition, offset) -> {
            PartitionClaims partition = owned.get(topicPartition);
            if (partition != null) {
              partition.commitFailed(offset.offset(), cause, done);
            }
          });
    } finally {
      lock.unlock();
    }
    done.forEach(PendingAck::complete);
  }

  /** Waits for an ack, for room, or for the end; may return early. */
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  void awaitWork(long nanos) {
    lock.lock();
    try {
      if (!closed) {
        long unused = work.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // only our own close interrupts this thread
    } finally {
      lock.unlock();
    }
  }
}
