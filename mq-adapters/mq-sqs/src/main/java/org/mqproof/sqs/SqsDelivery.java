package org.mqproof.sqs;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * A message that one receive request claimed. Immutable but for its ack, which only the receiver's
 * thread starts.
 */
final class SqsDelivery implements Delivery {

  private final SqsReceiver owner;
  private final String handle;
  private final Message message;
  private final long deadlineNanos;
  private @Nullable CompletableFuture<Void> ack;

  SqsDelivery(SqsReceiver owner, String handle, byte[] body, long deadlineNanos) {
    this.owner = owner;
    this.handle = handle;
    this.deadlineNanos = deadlineNanos;
    message = new Message(body);
  }

  @Override
  public Message message() {
    return message;
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

  boolean hasExpired() {
    return System.nanoTime() - deadlineNanos > 0;
  }

  /** The ack that is under way or was done; null if there is none, or if it failed. */
  @Nullable CompletableFuture<Void> ack() {
    CompletableFuture<Void> started = ack;
    return started == null || started.isCompletedExceptionally() ? null : started;
  }

  void ackStarted(CompletableFuture<Void> started) {
    ack = started;
  }

  @Override
  public String toString() {
    return "SqsDelivery[" + message + "]";
  }
}
