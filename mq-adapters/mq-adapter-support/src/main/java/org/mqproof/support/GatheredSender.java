package org.mqproof.support;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;

/**
 * Sends to one queue. Messages that are sent while requests are under way go together with the next
 * one.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The futures complete in the threads in
 * which the driver is called.
 */
public final class GatheredSender implements Sender {

  private final String queue;
  private final BlockingCalls calls;
  private final int largestBodyBytes;
  private final GatheredSends sends;
  private final Consumer<GatheredSender> onClose;
  private volatile boolean closed;

  /**
   * Creates a sender.
   *
   * @param queue its name, for error messages
   * @param calls runs the requests
   * @param largestBodyBytes a larger body is rejected
   * @param store destination
   * @param onClose called after the sender has closed
   */
  public GatheredSender(
      String queue,
      BlockingCalls calls,
      int largestBodyBytes,
      GatheredSends.Store store,
      Consumer<GatheredSender> onClose) {
    this.queue = queue;
    this.calls = calls;
    this.largestBodyBytes = largestBodyBytes;
    sends = new GatheredSends(store, calls);
    this.onClose = onClose;
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before sending to queue " + queue);
    }
    PendingBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return;
    }
    sends.add(sending);
    BatchOutcome.awaitEnd(sending.done()); // the connection's watch gives up what is late
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    PendingBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      sends.add(sending);
    } catch (InterruptedException e) {
      sends.reject(sending, e); // nothing of it was sent, and the future tells
      Thread.currentThread().interrupt();
    }
    return sending.done();
  }

  private PendingBatch newBatch(List<Message> batch) {
    return new PendingBatch(
        calls.endpoint() + ", queue " + queue,
        calls::reason,
        batch,
        largestBodyBytes,
        System.nanoTime() + calls.bound().toNanos());
  }

  /**
   * Gives up batches whose deadline has passed; from any thread.
   *
   * @param nowNanos as {@link System#nanoTime()} tells it
   */
  public void expire(long nowNanos) {
    sends.expire(
        nowNanos, new MqException("no confirm within %d ms".formatted(calls.bound().toMillis())));
  }

  @Override
  public void close() {
    beginClose();
    awaitOutcomes(System.nanoTime() + calls.bound().toNanos());
    onClose.accept(this);
  }

  /** Takes no more batches; from any thread. */
  public void beginClose() {
    closed = true;
  }

  /**
   * Waits for the outcome of what is under way; what has none at the deadline is unknown.
   *
   * @param deadlineNanos as {@link System#nanoTime()} tells it
   */
  public void awaitOutcomes(long deadlineNanos) {
    sends.awaitIdle(deadlineNanos);
    sends.giveUpAll(new MqException("the sender was closed"));
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
