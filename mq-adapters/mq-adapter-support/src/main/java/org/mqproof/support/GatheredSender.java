package org.mqproof.support;

import java.util.function.Consumer;
import org.mqproof.MqException;

/**
 * Sends to one queue. Messages that are sent while requests are under way go together with the next
 * one.
 *
 * <p>Not thread-safe: one sender, one thread at a time. The futures complete in the threads in
 * which the driver is called.
 */
public final class GatheredSender extends AbstractSender {

  private final BlockingCalls calls;
  private final GatheredSends sends;
  private final Consumer<GatheredSender> onClose;

  /**
   * Creates a sender.
   *
   * @param queue its name, for error messages
   * @param calls runs the requests
   * @param limits what a message may have
   * @param store destination
   * @param onClose called after the sender has closed
   */
  public GatheredSender(
      String queue,
      BlockingCalls calls,
      MessageLimits limits,
      GatheredSends.Store store,
      Consumer<GatheredSender> onClose) {
    super(calls.endpoint(), queue, calls::reason, limits, calls.bound());
    this.calls = calls;
    sends = new GatheredSends(store, calls);
    this.onClose = onClose;
  }

  @Override
  protected void publish(PendingBatch batch, boolean awaited) throws InterruptedException {
    sends.add(batch);
  }

  @Override
  protected void giveUp(PendingBatch batch, Exception cause) {
    sends.giveUp(batch, cause);
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

  /**
   * Waits for the outcome of what is under way; what has none at the deadline is unknown.
   *
   * @param deadlineNanos as {@link System#nanoTime()} tells it
   */
  public void awaitOutcomes(long deadlineNanos) {
    sends.awaitIdle(deadlineNanos);
    sends.giveUpAll(new MqException("the sender was closed"));
  }
}
