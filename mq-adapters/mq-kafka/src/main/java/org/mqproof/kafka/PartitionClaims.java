package org.mqproof.kafka;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.Outcome;

/**
 * One partition while it is assigned to one receiver: what was delivered from it, acked and
 * committed. Guarded by its {@link GroupClaims}.
 */
final class PartitionClaims {

  /** Acks up to and including an offset, which a commit beyond it settles. */
  private record Waiting(long last, PendingAck ack) {}

  private final GroupClaims owner;
  private final TopicPartition topicPartition;
  private final PriorityQueue<Waiting> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Waiting::last));
  private final ArrayDeque<GroupClaims.Chunk> buffered = new ArrayDeque<>();
  private @Nullable AckedPrefix acked;
  private long committed = -1;
  private long attempted = -1;
  private long arrivedUpTo = -1;
  private boolean ended;

  PartitionClaims(GroupClaims owner, TopicPartition topicPartition) {
    this.owner = owner;
    this.topicPartition = topicPartition;
  }

  GroupClaims owner() {
    return owner;
  }

  TopicPartition topicPartition() {
    return topicPartition;
  }

  /** What has arrived of it and was not delivered yet, in order. */
  ArrayDeque<GroupClaims.Chunk> buffered() {
    return buffered;
  }

  /** Whether nothing has arrived since it was assigned. */
  boolean isNew() {
    return arrivedUpTo < 0;
  }

  /**
   * Whether records that arrived have offsets above all that arrived before. They have not when the
   * leader died with records that no other broker had: the log ends earlier then, and goes on with
   * others.
   */
  boolean follows(long first) {
    return first > arrivedUpTo;
  }

  /** Takes note that records up to an offset have arrived. */
  void arrived(long last) {
    arrivedUpTo = last;
  }

  void deliver(long first, long last) {
    AckedPrefix prefix = acked;
    if (prefix == null) {
      prefix = new AckedPrefix(first);
      acked = prefix;
    }
    prefix.deliver(first, last);
  }

  /** Whether everything delivered is acked. */
  boolean isWhole() {
    return acked == null || acked.isWhole();
  }

  /** Whether a delivery's claim lasts and it is not acked. */
  boolean isClaimed(long offset) {
    return !ended && acked != null && offset >= committed && !acked.isAcked(offset);
  }

  /** What is known of an ack of an offset. */
  Outcome outcome(long offset) {
    if (offset < committed) {
      return Outcome.CONFIRMED;
    }
    return offset < attempted ? Outcome.UNKNOWN : Outcome.REJECTED;
  }

  /** A commit below an offset is on its way: if it fails, it may have been stored. */
  void attempt(long offset) {
    attempted = Math.max(attempted, offset);
  }

  /** Acks an offset that was delivered; false if its claim has ended without a commit. */
  boolean ack(long offset) {
    if (offset < committed) {
      return true;
    }
    if (ended || acked == null) {
      return false;
    }
    acked.ack(offset);
    return true;
  }

  /**
   * Settles a call of {@code ack} once all offsets up to {@code last}, -1 for none, are committed.
   */
  void await(long last, PendingAck ack) {
    if (last >= 0 && last >= committed) {
      ack.addPart();
      waiting.add(new Waiting(last, ack));
    }
  }

  /** The offset to commit, or -1 when the last commit says it all. */
  long toCommit() {
    return acked != null && !ended && acked.prefix() > Math.max(committed, acked.first())
        ? acked.prefix()
        : -1;
  }

  void committed(long offset, List<PendingAck> done) {
    committed = Math.max(committed, offset);
    Waiting first = waiting.peek();
    while (first != null && first.last() < committed) {
      waiting.remove();
      first.ack().settle();
      addIfEnded(first.ack(), done);
      first = waiting.peek();
    }
  }

  /** Gives up on acks below an offset, because the commit that covers them keeps failing. */
  void commitFailed(long offset, MqException cause, List<PendingAck> done) {
    Waiting first = waiting.peek();
    while (first != null && first.last() < offset) {
      waiting.remove();
      first.ack().fail(cause);
      addIfEnded(first.ack(), done);
      first = waiting.peek();
    }
  }

  /** The partition is not this receiver's any more. */
  void end(MqException cause, List<PendingAck> done) {
    ended = true;
    commitFailed(Long.MAX_VALUE, cause, done);
  }

  private static void addIfEnded(PendingAck ack, List<PendingAck> done) {
    if (ack.isEnded()) {
      done.add(ack);
    }
  }

  @Override
  public String toString() {
    return topicPartition.toString();
  }
}
