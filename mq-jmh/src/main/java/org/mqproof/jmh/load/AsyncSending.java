package org.mqproof.jmh.load;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.ledger.SenderLog;

/**
 * Sends with a window of batches under way. Each place of the window has messages of its own, and
 * is used again when its batch is settled: the oldest first. One thread at a time sends; outcomes
 * come in on any thread.
 */
final class AsyncSending extends Sending {

  private final Sender sender;
  private final Place[] window;
  private final long boundMillis;
  private final AtomicInteger confirmed = new AtomicInteger(); // since the last send returned
  private int next;

  /**
   * Opens a window.
   *
   * @param boundMillis longest wait for an outcome; the adapter's own bound is shorter
   */
  AsyncSending(
      Sender sender,
      @Nullable SenderLog log,
      int[] sizes,
      List<Batches> window,
      SendTimes times,
      long boundMillis) {
    super(log, sizes, times);
    this.sender = sender;
    this.window = window.stream().map(Place::new).toArray(Place[]::new);
    this.boundMillis = boundMillis;
  }

  @Override
  public int send() throws InterruptedException {
    Place place = window[next];
    next = next + 1 == window.length ? 0 : next + 1;
    await(place);
    failAfterTooManyErrors();
    int size = nextSize();
    List<Message> batch = place.batches.of(size);
    long start = System.nanoTime();
    long due = due(start);
    long first = stamp(batch, due);
    CompletableFuture<Void> sent;
    try {
      sent = sender.sendAsync(batch);
    } catch (MqException e) {
      confirmed.addAndGet(failed(first, size, e));
      failAfterTooManyErrors();
      return confirmed.getAndSet(0);
    }
    if (sent.isDone() && !sent.isCompletedExceptionally()) {
      settled(first, size, due, start, null);
    } else {
      place.settled =
          sent.handle(
              (nothing, error) -> {
                settled(first, size, due, start, error);
                return null;
              });
    }
    return confirmed.getAndSet(0);
  }

  /** Runs on whichever thread completes the send. */
  private void settled(long first, int size, long due, long start, @Nullable Throwable error) {
    long end = System.nanoTime();
    int messages = size;
    if (error == null) {
      confirmed(first, size);
    } else {
      messages = failed(first, size, error);
    }
    synchronized (times()) {
      if (error == null) {
        times().record(due, start, end, messages);
      } else {
        times().count(end, messages);
      }
    }
    confirmed.addAndGet(messages);
  }

  /** Waits until the place is free. */
  private void await(Place place) throws InterruptedException {
    CompletableFuture<@Nullable Void> settled = place.settled;
    if (settled == null) {
      return;
    }
    place.settled = null;
    try {
      settled.get(boundMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the books of a send could not be kept", e.getCause());
    } catch (TimeoutException e) {
      throw new MqException(
          "a send had no outcome after " + boundMillis + " ms, though calls are bounded", e);
    }
  }

  @Override
  public void begin(Timeline.Phase phase) {
    synchronized (times()) {
      times().begin(phase);
    }
  }

  @Override
  public void settle() throws InterruptedException {
    for (Place place : window) {
      await(place);
    }
    confirmed.set(0); // what came after the last send is not of the next one's iteration
    synchronized (times()) {
      times().flush();
    }
  }

  @Override
  public void close() {
    sender.close();
  }

  private static final class Place {
    private final Batches batches;
    private @Nullable CompletableFuture<@Nullable Void> settled;

    Place(Batches batches) {
      this.batches = batches;
    }
  }
}
