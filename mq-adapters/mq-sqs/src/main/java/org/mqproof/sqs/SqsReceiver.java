package org.mqproof.sqs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;

/**
 * Receives from one queue, and claims nothing before it is asked to.
 *
 * <p>A claim is counted from the moment the request was sent that brought the message: the service
 * cannot have begun earlier. What is acked later than the claim period from then on may have been
 * claimed by another, and SQS would answer that all is well; so such an ack is not sent, and fails.
 * For the same reason a late message is not given back: a server may take that for the newer claim.
 *
 * <p>After an error the receiver works on.
 *
 * <p>Not thread-safe: one receiver, one thread at a time. The SDK's threads complete acks.
 */
final class SqsReceiver implements Receiver {

  /** So much of a claim must be left for giving it back: the request takes a while to arrive. */
  private static final Duration GIVE_BACK_MARGIN = Duration.ofMillis(200);

  /** A request for messages. Whatever becomes of it, what it claimed is delivered or given back. */
  private record Poll(
      long startedNanos, int waitSeconds, CompletableFuture<List<Transport.Taken>> answer) {}

  private final SqsSettings settings;
  private final Transport transport;
  private final String url;
  private final String where;
  private final Consumer<SqsReceiver> onClose;
  private final Consumer<CompletableFuture<?>> looseEnds;
  private final Batcher<Ack> acks;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Requests that an interrupt left under way; the next receive goes on with them. */
  private final Deque<Poll> polls = new ArrayDeque<>();

  /** Claimed, and not handed out yet. */
  private final Deque<SqsDelivery> ready = new ArrayDeque<>();

  /** Claimed and neither acked nor expired, the oldest first. Guarded by itself. */
  private final Set<SqsDelivery> held = new LinkedHashSet<>();

  /** What to tell once everything that came with it is handed out. */
  private @Nullable MqException owed;

  SqsReceiver(
      SqsSettings settings,
      Transport transport,
      String queue,
      String url,
      Consumer<SqsReceiver> onClose,
      Consumer<CompletableFuture<?>> looseEnds) {
    this.settings = settings;
    this.transport = transport;
    this.url = url;
    this.onClose = onClose;
    this.looseEnds = looseEnds;
    where = settings.name() + ", queue " + queue;
    acks =
        new Batcher<>(
            handles -> transport.delete(url, handles),
            settings.get(SqsSettings.REQUESTS),
            Integer.MAX_VALUE);
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long timeoutNanos = Arguments.timeoutNanos(max, timeout);
    requireOpen();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before messages were asked for");
    }
    long deadline = System.nanoTime() + timeoutNanos;
    while (true) {
      forgetExpired();
      int wanted = Math.min(max, settings.traits().mostInFlight() - heldCount() + ready.size());
      if (wanted > 0) {
        fill(wanted, deadline);
      }
      List<Delivery> batch = new ArrayList<>(Math.min(max, ready.size()));
      while (batch.size() < max && !ready.isEmpty()) {
        batch.add(ready.removeFirst());
      }
      if (!batch.isEmpty()) {
        return batch;
      }
      throwOwed();
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return List.of();
      }
      long pause = Math.min(left, settings.get(SqsSettings.POLL_PAUSE).toNanos());
      if (closed.await(pause, TimeUnit.NANOSECONDS)) {
        requireOpen();
      }
    }
  }

  private void throwOwed() {
    MqException failure = owed;
    owed = null;
    if (failure != null) {
      throw failure;
    }
  }

  /** Takes what the service has: up to ten messages, and if it has so many, the rest at once. */
  private void fill(int wanted, long deadlineNanos) throws InterruptedException {
    if (polls.isEmpty() && ready.isEmpty()) {
      long left = Math.max(0, deadlineNanos - System.nanoTime());
      long wait = Math.min(TimeUnit.NANOSECONDS.toSeconds(left), settings.longestWaitSeconds());
      start(Math.min(wanted, Transport.MOST), (int) wait);
    }
    finishPolls();
    if (ready.size() == Transport.MOST && owed == null) {
      int requests = settings.get(SqsSettings.REQUESTS);
      for (int more = wanted - ready.size(); more > 0 && polls.size() < requests; ) {
        int count = Math.min(more, Transport.MOST);
        start(count, 0);
        more -= count;
      }
      finishPolls();
    }
  }

  private void start(int count, int waitSeconds) throws InterruptedException {
    long now = System.nanoTime();
    CompletableFuture<List<Transport.Taken>> answer;
    try {
      answer = transport.receive(url, count, waitSeconds, settings.claimSeconds());
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    if (Errors.isOfAnInterrupt(answer)) {
      throw new InterruptedException("interrupted before messages were asked for");
    }
    polls.addLast(new Poll(now, waitSeconds, answer));
  }

  /** Waits for every poll. An interrupt leaves those that have no answer for the next call. */
  private void finishPolls() throws InterruptedException {
    while (!polls.isEmpty()) {
      Poll poll = polls.getFirst();
      Duration bound = settings.stepBound().multipliedBy(2).plusSeconds(poll.waitSeconds());
      try {
        arrived(poll, poll.answer().get(bound.toNanos(), TimeUnit.NANOSECONDS));
      } catch (ExecutionException e) {
        owed = failed("receiving failed", Errors.unwrap(e));
      } catch (TimeoutException e) {
        giveBackLater(poll);
        owed = failed("receiving failed: no answer within " + bound.toMillis() + " ms", e);
      }
      polls.removeFirst();
    }
  }

  private void arrived(Poll poll, List<Transport.Taken> taken) {
    for (Transport.Taken message : taken) {
      try {
        SqsDelivery delivery =
            new SqsDelivery(
                this,
                message.handle(),
                settings.get(SqsSettings.BODY).body(message.text()),
                claimEnd(poll));
        synchronized (held) {
          held.add(delivery);
        }
        ready.addLast(delivery);
      } catch (IllegalArgumentException e) {
        owed =
            failed(
                "message %s is no message of MqProof, and comes back after its claim; body=text takes the text as it is"
                    .formatted(message.id()),
                e);
      }
    }
  }

  private long claimEnd(Poll poll) {
    return poll.startedNanos() + settings.get(SqsSettings.CLAIM_PERIOD).toNanos();
  }

  private MqException failed(String what, Throwable cause) {
    return new MqException("%s: %s: %s".formatted(where, what, Errors.reason(cause)), cause);
  }

  private int heldCount() {
    synchronized (held) {
      return held.size();
    }
  }

  /** What was claimed too long ago is no longer here, and comes back on its own. */
  private void forgetExpired() {
    synchronized (held) {
      Iterator<SqsDelivery> oldest = held.iterator();
      while (oldest.hasNext() && oldest.next().hasExpired()) {
        oldest.remove();
      }
    }
    ready.removeIf(SqsDelivery::hasExpired);
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    requireOpen();
    Set<SqsDelivery> own = new LinkedHashSet<>();
    for (Delivery delivery : deliveries) {
      if (!(delivery instanceof SqsDelivery mine) || mine.owner() != this) {
        throw new IllegalArgumentException("not delivered by this receiver: " + delivery);
      }
      own.add(mine);
    }
    List<Ack> started = new ArrayList<>();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    long deadline = System.nanoTime() + 2 * settings.stepBound().toNanos();
    for (SqsDelivery delivery : own) {
      CompletableFuture<Void> before = delivery.ack();
      if (before == null) {
        Ack ack = new Ack(delivery, deadline);
        delivery.ackStarted(ack.done);
        started.add(ack);
        all.add(ack.done);
      } else {
        all.add(before);
      }
    }
    acks.add(started);
    CompletableFuture<Void> result = new CompletableFuture<>();
    var unused =
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    result.complete(null);
                  } else {
                    result.completeExceptionally(Errors.unwrap(failure));
                  }
                });
    return result;
  }

  private void requireOpen() {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("this receiver from " + where + " is closed");
    }
  }

  @Override
  public void close() {
    if (beginClose()) {
      finishAcks(System.nanoTime() + settings.stepBound().toNanos());
      awaitQuietly(giveBack(), settings.stepBound().multipliedBy(2));
      onClose.accept(this);
    }
  }

  /**
   * Refuses further calls.
   *
   * @return whether this was the first call
   */
  synchronized boolean beginClose() {
    boolean first = closed.getCount() > 0;
    closed.countDown();
    return first;
  }

  /** Waits until the acks that were given are answered; those that are not have failed. */
  void finishAcks(long deadlineNanos) {
    try {
      boolean unused = acks.awaitIdle(deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<SqsDelivery> left;
    synchronized (held) {
      left = List.copyOf(held);
    }
    for (SqsDelivery delivery : left) {
      CompletableFuture<Void> ack = delivery.ack();
      if (ack != null) {
        ack.completeExceptionally(
            new MqException(where + ": the receiver was closed before the ack was answered"));
      }
    }
  }

  /**
   * Gives back what is held, and later what a poll that is still under way will have claimed.
   *
   * @return completes when the service has answered, well or not: what could not be given back
   *     comes back when its claim ends
   */
  CompletableFuture<?> giveBack() {
    polls.forEach(this::giveBackLater);
    polls.clear();
    List<String> handles = new ArrayList<>();
    long latest = System.nanoTime() + GIVE_BACK_MARGIN.toNanos();
    synchronized (held) {
      for (SqsDelivery delivery : held) {
        if (latest - delivery.deadlineNanos() < 0) {
          handles.add(delivery.handle());
        }
      }
      held.clear();
    }
    return release(handles);
  }

  private void giveBackLater(Poll poll) {
    looseEnds.accept(
        poll.answer()
            .thenCompose(
                taken -> {
                  long latest = System.nanoTime() + GIVE_BACK_MARGIN.toNanos();
                  return latest - claimEnd(poll) < 0
                      ? release(taken.stream().map(Transport.Taken::handle).toList())
                      : CompletableFuture.completedFuture(null);
                }));
  }

  private CompletableFuture<?> release(List<String> handles) {
    List<CompletableFuture<?>> requests = new ArrayList<>();
    for (int from = 0; from < handles.size(); from += Transport.MOST) {
      int to = Math.min(from + Transport.MOST, handles.size());
      requests.add(transport.release(url, handles.subList(from, to)));
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new));
  }

  /** For what closing needs not: a failure leaves messages claimed until their claims end. */
  static void awaitQuietly(CompletableFuture<?> work, Duration bound) {
    try {
      var unused = work.handle((done, failure) -> done).get(bound.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a delivery off what close gives back. */
  private void settled(SqsDelivery delivery) {
    synchronized (held) {
      held.remove(delivery);
    }
  }

  /** One ack on its way. */
  private final class Ack implements Batcher.Item {

    final CompletableFuture<Void> done = new CompletableFuture<>();
    private final SqsDelivery delivery;
    private final long deadlineNanos;

    Ack(SqsDelivery delivery, long callDeadlineNanos) {
      this.delivery = delivery;
      deadlineNanos =
          callDeadlineNanos - delivery.deadlineNanos() < 0
              ? callDeadlineNanos
              : delivery.deadlineNanos();
    }

    @Override
    public String text() {
      return delivery.handle();
    }

    @Override
    public long deadlineNanos() {
      return deadlineNanos;
    }

    @Override
    public void settled(@Nullable RequestFailed failure) {
      if (delivery.hasExpired()) {
        done.completeExceptionally(
            new MqException(
                where + ": a claim had ended before its ack was answered; it may come again",
                failure));
      } else if (failure == null) {
        SqsReceiver.this.settled(delivery);
        done.complete(null);
      } else {
        done.completeExceptionally(
            failed("an ack failed, and the message may come again", failure));
      }
    }
  }
}
