package org.mqproof.sqs;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message that one receive request claimed. The receiver's thread starts its acks, its release
 * and extensions; the SDK's threads end them.
 */
final class SqsDelivery implements Delivery {

  private final SqsReceiver owner;
  private final String handle;
  private final Message message;
  private final int attempt;
  private volatile long deadlineNanos;
  private SqsReceiver.@Nullable Ack ack;
  private boolean released;

  SqsDelivery(SqsReceiver owner, String handle, Message message, int attempt, long deadlineNanos) {
    this.owner = owner;
    this.handle = handle;
    this.message = message;
    this.attempt = attempt;
    this.deadlineNanos = deadlineNanos;
  }

  @Override
  public Message message() {
    return message;
  }

  @Override
  public OptionalInt attempt() {
    return OptionalInt.of(attempt);
  }

  SqsReceiver owner() {
    return owner;
  }

  /** Names this claim at the service. */
  String handle() {
    return handle;
  }

  /** {@link System#nanoTime()} after which another receiver may have claimed the message. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** The service let the claim begin once more. */
  void extended(long newDeadlineNanos) {
    deadlineNanos = newDeadlineNanos;
  }

  boolean hasExpired() {
    return System.nanoTime() - deadlineNanos > 0;
  }

  /** The ack that is under way or was done; null if there is none, or if it failed. */
  SqsReceiver.@Nullable Ack ack() {
    SqsReceiver.Ack started = ack;
    return started == null || started.hasFailed() ? null : started;
  }

  void ackStarted(SqsReceiver.Ack started) {
    ack = started;
  }

  /** Whether it is neither acked nor released. */
  boolean isClaimed() {
    return !released && ack() == null;
  }

  boolean isReleased() {
    return released;
  }

  void release() {
    released = true;
  }

  @Override
  public String toString() {
    return "SqsDelivery[" + message + "]";
  }
}
