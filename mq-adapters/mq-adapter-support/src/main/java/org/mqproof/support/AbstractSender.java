package org.mqproof.support;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;

/**
 * Base of senders: {@code send} is {@code sendAsync} and a bounded wait, and the caller gets copies
 * of futures.
 *
 * <p>Not thread-safe, but for {@link #beginClose}: one sender, one thread at a time.
 */
public abstract class AbstractSender implements Sender {

  private final String endpoint;
  private final String queue;
  private final Function<Throwable, String> reason;
  private final MessageLimits limits;
  private final Duration bound;
  private volatile boolean closed;

  /**
   * Creates an open sender.
   *
   * @param endpoint names the system in error messages; holds no secret
   * @param queue its name, for error messages
   * @param reason turns a failure into the end of an error message
   * @param limits what a message may have
   * @param bound longest time until a batch is given up
   */
  protected AbstractSender(
      String endpoint,
      String queue,
      Function<Throwable, String> reason,
      MessageLimits limits,
      Duration bound) {
    this.endpoint = endpoint;
    this.queue = queue;
    this.reason = reason;
    this.limits = limits;
    this.bound = bound;
  }

  /**
   * Starts to send a batch. May wait for room until the batch's deadline.
   *
   * @param batch at least one message; {@link PendingBatch#rejectRefused} was not called
   * @param awaited whether the caller waits for the outcome, so that nothing will join this batch
   * @throws InterruptedException if interrupted while waiting; then {@link #giveUp} follows if the
   *     caller does not wait for the outcome
   */
  protected abstract void publish(PendingBatch batch, boolean awaited) throws InterruptedException;

  /**
   * Ends a batch: what was certainly not sent is rejected, the rest unknown. Harmless if it has
   * ended.
   *
   * @param batch given to {@link #publish}
   * @param cause why
   */
  protected abstract void giveUp(PendingBatch batch, Exception cause);

  @Override
  public final void send(List<Message> batch) throws InterruptedException {
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before sending to queue " + queue);
    }
    PendingBatch sending = newBatch(batch);
    if (sending.size() > 0) {
      publish(sending, true);
      BatchOutcome.await(
          sending.done(),
          sending.deadlineNanos() - System.nanoTime(),
          late ->
              giveUp(sending, new MqException("no confirm within " + bound.toMillis() + " ms")));
    }
  }

  @Override
  public final CompletableFuture<Void> sendAsync(List<Message> batch) {
    requireOpen();
    PendingBatch sending = newBatch(batch);
    if (sending.size() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      publish(sending, false);
    } catch (InterruptedException e) {
      giveUp(sending, e); // the future tells
      Thread.currentThread().interrupt();
    }
    return Futures.copy(sending.done());
  }

  private PendingBatch newBatch(List<Message> batch) {
    return new PendingBatch(
        endpoint + ", queue " + queue, reason, batch, limits, System.nanoTime() + bound.toNanos());
  }

  /** Takes no more batches; from any thread. */
  public final void beginClose() {
    closed = true;
  }

  /**
   * Whether {@link #beginClose} was called; from any thread.
   *
   * @return true if no batch is taken any more
   */
  protected final boolean isClosed() {
    return closed;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this sender of queue " + queue + " is closed");
    }
  }
}
