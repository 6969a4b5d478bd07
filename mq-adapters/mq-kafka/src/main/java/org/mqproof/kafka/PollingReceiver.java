package org.mqproof.kafka;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.common.KafkaException;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;

/**
 * A receiver with a thread of its own, the poller, which owns the Kafka consumer, so that
 * membership does not depend on how often the user receives. It can be closed together with others,
 * within one bound.
 *
 * <p>Not thread-safe: one receiver, one thread at a time.
 */
abstract class PollingReceiver implements Receiver {

  /** One that waits longer looks in between whether there is still something to wait for. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  final KafkaSettings settings;
  final String queue;
  final Liveness liveness;
  private final ObjLongConsumer<PollingReceiver> onClose;
  private final Thread poller;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean closing;

  /**
   * Polls nothing yet.
   *
   * @param onClose told of the end, and until when, by the nanosecond clock, it may use
   */
  PollingReceiver(
      KafkaSettings settings,
      String queue,
      Liveness liveness,
      ObjLongConsumer<PollingReceiver> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.liveness = liveness;
    this.onClose = onClose;
    poller = new Thread(this::run, "mqproof-kafka-receiver-" + queue);
    poller.setDaemon(true);
  }

  /** Joins the group in the background. */
  PollingReceiver start() {
    poller.start();
    return this;
  }

  @Override
  public final List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long timeoutNanos = Arguments.timeoutNanos(max, timeout);
    long start = System.nanoTime();
    long left = timeoutNanos;
    while (true) {
      List<Delivery> taken = take(max, Math.min(left, LONGEST_WAIT_NANOS));
      if (!taken.isEmpty()) {
        return taken;
      }
      liveness.requireQueue();
      liveness.requireRecentAnswer();
      left = timeoutNanos - (System.nanoTime() - start);
      if (left <= 0) {
        return taken;
      }
    }
  }

  /** Delivers what is here, waiting for the first message. */
  abstract List<Delivery> take(int max, long timeoutNanos) throws InterruptedException;

  @Override
  public final void close() {
    beginClose();
    awaitClosed(System.nanoTime() + settings.callBound().toNanos());
  }

  /** Starts to close and does not wait. */
  final void beginClose() {
    if (closed.compareAndSet(false, true)) {
      closing = true;
      endCalls();
    }
  }

  /** Ends deliveries and acks, and what the poller waits for. */
  abstract void endCalls();

  /** Waits until acks are settled, the group is left and the poller has ended. */
  final void awaitClosed(long deadlineNanos) {
    if (!BoundedWaits.awaitEnd(poller, deadlineNanos)) {
      poller.interrupt();
    }
    onClose.accept(this, deadlineNanos);
  }

  final boolean isClosing() {
    return closing;
  }

  // From here on the poller's.

  private void run() {
    MqException end = new MqException(settings.endpoint() + ": the receiver was closed");
    try {
      subscribe();
      while (!closing) {
        step();
      }
    } catch (KafkaException | IllegalStateException e) {
      end =
          new MqException(
              "%s: the receiver of queue %s failed and must be opened anew: %s"
                  .formatted(settings.endpoint(), queue, Causes.reason(e)),
              e);
    } finally {
      closing = true;
      leave(end);
    }
  }

  abstract void subscribe();

  /** Does what is to be done now, or waits for it a moment. */
  abstract void step();

  /** Settles what can be, leaves the group, and ends what is open for that reason. */
  abstract void leave(MqException end);
}
