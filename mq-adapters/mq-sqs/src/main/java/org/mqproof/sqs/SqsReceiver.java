package org.mqproof.sqs;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Deliveries;

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
  private final Batcher<Change> changes;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * Requests that an interrupt left under way; the next receive goes on with them. A close takes
   * them out while a receive waits.
   */
  private final Deque<Poll> polls = new ConcurrentLinkedDeque<>();

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
            items -> transport.delete(url, items.stream().map(Ack::handle).toList()),
            settings.get(SqsSettings.REQUESTS),
            Integer.MAX_VALUE);
    changes =
        new Batcher<>(
            items -> transport.claim(url, items.stream().map(Change::claim).toList()),
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
    for (Poll poll = polls.peekFirst(); poll != null; poll = polls.peekFirst()) {
      Duration bound = settings.stepBound().multipliedBy(2).plusSeconds(poll.waitSeconds());
      try {
        arrived(poll, poll.answer().get(bound.toNanos(), TimeUnit.NANOSECONDS));
      } catch (ExecutionException e) {
        owed = failed("receiving failed", Errors.unwrap(e));
      } catch (TimeoutException e) {
        giveBackLater(poll);
        owed = failed("receiving failed: no answer within " + bound.toMillis() + " ms", e);
      }
      boolean unused = polls.remove(poll); // false: closed meanwhile
    }
  }

  private void arrived(Poll poll, List<Transport.Taken> taken) {
    for (Transport.Taken message : taken) {
      try {
        SqsDelivery delivery =
            new SqsDelivery(
                this,
                message.handle(),
                new Message(settings.get(SqsSettings.BODY).body(message.text()), message.headers()),
                message.receiveCount(),
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
    List<SqsDelivery> own = own(deliveries);
    List<Ack> started = new ArrayList<>();
    List<@Nullable Ack> all = new ArrayList<>(own.size()); // null: it was released
    long deadline = System.nanoTime() + 2 * settings.stepBound().toNanos();
    for (SqsDelivery delivery : own) {
      if (delivery.isClaimed()) {
        Ack ack = new Ack(delivery, deadline);
        delivery.ackStarted(ack);
        started.add(ack);
      }
      all.add(delivery.ack());
    }
    acks.add(started);
    return whenAll(
        all.stream().filter(Objects::nonNull).map(ack -> requireNonNull(ack).done),
        () -> ackFailure(all));
  }

  private @Nullable MqException ackFailure(List<@Nullable Ack> acks) {
    MqException cause = null;
    List<Outcome> outcomes = new ArrayList<>(acks.size());
    for (Ack ack : acks) {
      Ended ended =
          ack == null
              ? new Ended(
                  Outcome.REJECTED,
                  new MqException(where + ": a claim had ended before its ack: it was released"))
              : ack.done.join();
      outcomes.add(ended.outcome());
      cause = cause == null ? ended.cause() : cause;
    }
    return cause == null
        ? null
        : new AckFailedException(String.valueOf(cause.getMessage()), outcomes, cause);
  }

  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    List<SqsDelivery> claimed = new ArrayList<>();
    for (SqsDelivery delivery : own(deliveries)) {
      if (delivery.isClaimed() && !delivery.hasExpired()) {
        delivery.release();
        claimed.add(delivery);
      }
    }
    synchronized (held) {
      claimed.forEach(held::remove);
    }
    return change(claimed, 0);
  }

  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    List<SqsDelivery> claimed =
        own(deliveries).stream().filter(SqsDelivery::isClaimed).distinct().toList();
    return change(claimed, settings.claimSeconds());
  }

  private CompletableFuture<Void> change(List<SqsDelivery> claimed, int seconds) {
    long now = System.nanoTime();
    List<Change> started =
        claimed.stream().map(delivery -> new Change(delivery, seconds, now)).toList();
    changes.add(started);
    return whenAll(
        started.stream().map(change -> change.done),
        () ->
            started.stream()
                .map(change -> change.done.join().cause())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null));
  }

  /** The future is the caller's own: nothing here reads it. */
  private static CompletableFuture<Void> whenAll(
      Stream<CompletableFuture<Ended>> parts, Supplier<@Nullable MqException> failure) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    var unused =
        CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
            .thenRun(
                () -> {
                  MqException cause = failure.get();
                  if (cause == null) {
                    result.complete(null);
                  } else {
                    result.completeExceptionally(cause);
                  }
                });
    return result;
  }

  private List<SqsDelivery> own(Collection<? extends Delivery> deliveries) {
    requireOpen();
    return Deliveries.own(deliveries, SqsDelivery.class, own -> own.owner() == this);
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
      // What fails, or takes longer, comes back when its claim ends.
      boolean unused =
          BoundedWaits.await(giveBack(), System.nanoTime() + 2 * settings.stepBound().toNanos());
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
    boolean unused = acks.awaitIdle(deadlineNanos) && changes.awaitIdle(deadlineNanos);
    List<SqsDelivery> left;
    synchronized (held) {
      left = List.copyOf(held);
    }
    for (SqsDelivery delivery : left) {
      Ack ack = delivery.ack();
      if (ack != null) {
        ack.end(
            Outcome.UNKNOWN,
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
    return giveBack(handles);
  }

  private void giveBackLater(Poll poll) {
    looseEnds.accept(
        poll.answer()
            .thenCompose(
                taken -> {
                  long latest = System.nanoTime() + GIVE_BACK_MARGIN.toNanos();
                  return latest - claimEnd(poll) < 0
                      ? giveBack(taken.stream().map(Transport.Taken::handle).toList())
                      : CompletableFuture.completedFuture(null);
                }));
  }

  private CompletableFuture<?> giveBack(List<String> handles) {
    List<CompletableFuture<?>> requests = new ArrayList<>();
    for (int from = 0; from < handles.size(); from += Transport.MOST) {
      int to = Math.min(from + Transport.MOST, handles.size());
      requests.add(
          transport.claim(
              url,
              handles.subList(from, to).stream()
                  .map(handle -> new Transport.Claim(handle, 0))
                  .toList()));
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new));
  }

  /** Takes a delivery off what close gives back. */
  private void settled(SqsDelivery delivery) {
    synchronized (held) {
      held.remove(delivery);
    }
  }

  /** How an ack, a release or an extension ended. */
  private record Ended(Outcome outcome, @Nullable MqException cause) {}

  /** One ack on its way. */
  final class Ack implements Batcher.Item {

    private final CompletableFuture<Ended> done = new CompletableFuture<>();
    private final SqsDelivery delivery;
    private final long deadlineNanos;

    private Ack(SqsDelivery delivery, long callDeadlineNanos) {
      this.delivery = delivery;
      deadlineNanos = earlier(callDeadlineNanos, delivery.deadlineNanos());
    }

    private String handle() {
      return delivery.handle();
    }

    @Override
    public int bytes() {
      return 0; // no request of so few entries is too large
    }

    @Override
    public long deadlineNanos() {
      return deadlineNanos;
    }

    /** Whether it has, so that another can be tried. */
    boolean hasFailed() {
      return done.isDone() && done.join().cause() != null;
    }

    private void end(Outcome outcome, @Nullable MqException cause) {
      done.complete(new Ended(outcome, cause));
    }

    @Override
    public void settled(@Nullable RequestFailed failure) {
      Outcome unless = failure != null && failure.isCertain() ? Outcome.REJECTED : Outcome.UNKNOWN;
      if (delivery.hasExpired()) {
        end(
            unless,
            new MqException(
                where + ": a claim had ended before its ack was answered; it may come again",
                failure));
      } else if (failure == null) {
        SqsReceiver.this.settled(delivery);
        end(Outcome.CONFIRMED, null);
      } else {
        end(unless, failed("an ack failed, and the message may come again", failure));
      }
    }
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  /** One release or extension on its way. */
  private final class Change implements Batcher.Item {

    private final CompletableFuture<Ended> done = new CompletableFuture<>();
    private final SqsDelivery delivery;
    private final int seconds;
    private final long startedNanos;

    private Change(SqsDelivery delivery, int seconds, long startedNanos) {
      this.delivery = delivery;
      this.seconds = seconds;
      this.startedNanos = startedNanos;
    }

    private Transport.Claim claim() {
      return new Transport.Claim(delivery.handle(), seconds);
    }

    @Override
    public int bytes() {
      return 0;
    }

    /** A server may take what comes late for the claim of another receiver. */
    @Override
    public long deadlineNanos() {
      return earlier(
          startedNanos + 2 * settings.stepBound().toNanos(),
          delivery.deadlineNanos() - GIVE_BACK_MARGIN.toNanos());
    }

    @Override
    public void settled(@Nullable RequestFailed failure) {
      if (failure == null) {
        if (seconds > 0) {
          extended();
        }
        done.complete(new Ended(Outcome.CONFIRMED, null));
      } else {
        String what =
            seconds == 0
                ? "a message could not be given back, and comes back after its claim"
                : "a claim could not be extended";
        Outcome outcome = failure.isCertain() ? Outcome.REJECTED : Outcome.UNKNOWN;
        done.complete(new Ended(outcome, failed(what, failure)));
      }
    }

    /** The service counts from later on than the call was made. */
    private void extended() {
      synchronized (held) {
        delivery.extended(startedNanos + TimeUnit.SECONDS.toNanos(seconds));
        if (held.remove(delivery)) {
          held.add(delivery); // which is in the order of the ends
        }
      }
    }
  }
}
