package org.mqproof.eventstore;

import io.grpc.Status;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;

/**
 * Receives from one queue as a consumer of its group, to which the server pushes up to {@code
 * prefetch} messages. They are hidden from others from then on, until they are acked, the
 * subscription ends, or the claim does. What waited here so long that it could not be claimed for
 * the whole claim period any more is given back, and not handed out.
 *
 * <p>A receiver whose subscription is lost stays lost and says so: what it held comes back to
 * others, and it must be opened anew. One that lets its claims end and asks for nothing more leaves
 * the subscription by itself, so that others get those messages, and joins it again when it is
 * asked to receive.
 *
 * <p>Not thread-safe: one receiver, one thread at a time. The connection's thread hands over what
 * arrives, and completes the futures.
 */
final class EventStoreReceiver implements Receiver {

  /** Between two questions about the same acks; twice as long each time, up to a limit. */
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final EventStoreSettings settings;
  private final String queue;
  private final Link link;
  private final ScheduledExecutorService timer;
  private final Consumer<EventStoreReceiver> onClose;
  private final Claims claims;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable Subscription subscription;
  private final List<ScheduledFuture<?>> watches = new CopyOnWriteArrayList<>();

  private EventStoreReceiver(
      EventStoreSettings settings,
      String queue,
      Link link,
      ScheduledExecutorService timer,
      Consumer<EventStoreReceiver> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.link = link;
    this.timer = timer;
    this.onClose = onClose;
    claims =
        new Claims(
            settings.get(EventStoreSettings.ACK_BATCH),
            settings.messageTimeout().minus(settings.claimMargin()).toNanos(),
            settings.get(EventStoreSettings.CLAIM_PERIOD).toNanos(),
            settings.claimMargin().toNanos(),
            System::nanoTime,
            new Claims.Writer() {
              @Override
              public void ack(List<EventStoreDelivery> deliveries) {
                subscription().ack(deliveries);
              }

              @Override
              public void giveBack(List<EventStoreDelivery> deliveries) {
                subscription().giveBack(deliveries);
              }
            });
  }

  /**
   * Subscribes at once.
   *
   * @throws MqException if there is no such queue, or the server does not answer
   */
  static EventStoreReceiver open(
      EventStoreSettings settings,
      String queue,
      Link link,
      ScheduledExecutorService timer,
      Consumer<EventStoreReceiver> onClose) {
    EventStoreReceiver receiver = new EventStoreReceiver(settings, queue, link, timer, onClose);
    receiver.subscribe();
    receiver.watch();
    return receiver;
  }

  private void subscribe() {
    subscription = Subscription.open(settings, link, queue, new Incoming(claims.begin()));
    sendAcks(); // of what arrived before
  }

  private void watch() {
    try {
      // A server that is silent says nothing to a receiver that waits: it is asked now and then.
      long step = settings.stepBound().toNanos();
      watches.add(timer.scheduleWithFixedDelay(this::look, step, step, TimeUnit.NANOSECONDS));
      long twentieth = settings.get(EventStoreSettings.CLAIM_PERIOD).dividedBy(20).toNanos();
      long often = Math.min(twentieth, TimeUnit.SECONDS.toNanos(1));
      watches.add(timer.scheduleWithFixedDelay(this::lapse, often, often, TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException e) {
      claims.fail(failed("the connection was closed", e));
    }
  }

  private void lapse() {
    Subscription left = subscription();
    if (claims.lapse()) {
      left.cancel();
    }
  }

  private void look() {
    if (claims.hasLapsed()) {
      return;
    }
    subscription()
        .askSettled(
            settled -> {}, // it lives
            failure -> {
              if (Errors.code(failure) != Status.Code.UNAVAILABLE) {
                claims.fail(failed(Errors.reason(failure), failure));
              }
            });
  }

  private Subscription subscription() {
    Subscription begun = subscription;
    if (begun == null) {
      throw new IllegalStateException("not subscribed yet");
    }
    return begun;
  }

  /** What one subscription hands over; called by the connection's thread. */
  private final class Incoming implements Subscription.Listener {

    private final int number;

    private Incoming(int number) {
      this.number = number;
    }

    @Override
    public void arrived(EventId id, byte[] body) {
      claims.arrived(number, id, body);
    }

    @Override
    public void arrivedEmpty(EventId id) {
      claims.arrivedEmpty(number, id);
      if (subscription != null) {
        sendAcks();
      }
    }

    @Override
    public void ended(Throwable cause) {
      claims.ended(number, failed(Errors.reason(cause), cause));
    }
  }

  private MqException failed(String reason, @Nullable Throwable cause) {
    return new MqException(
        "%s: the receiver of queue %s failed and must be opened anew: %s"
            .formatted(settings.endpoint(), queue, reason),
        cause);
  }

  /** Sends acks if it is time to. */
  private void sendAcks() {
    Claims.Round round;
    try {
      round = claims.nextRound();
    } catch (IllegalStateException e) {
      claims.fail(failed("the subscription takes no more acks: " + Errors.reason(e), e));
      return;
    }
    if (round != null) {
      long deadline = System.nanoTime() + settings.stepBound().multipliedBy(2).toNanos();
      ask(round, FIRST_PAUSE, deadline);
    }
  }

  private void ask(Claims.Round round, Duration pause, long deadlineNanos) {
    subscription()
        .askSettled(
            settled -> {
              if (claims.settled(round, settled)) {
                sendAcks();
              } else {
                askAgain(
                    round,
                    pause,
                    deadlineNanos,
                    Status.DEADLINE_EXCEEDED
                        .withDescription("the server has not handled all acks")
                        .asRuntimeException());
              }
            },
            failure -> {
              if (Errors.isRefusal(failure)) {
                claims.fail(failed(Errors.reason(failure), failure));
              } else {
                askAgain(round, pause, deadlineNanos, failure);
              }
            });
  }

  private void askAgain(Claims.Round round, Duration pause, long deadlineNanos, Throwable reason) {
    if (deadlineNanos - System.nanoTime() <= 0) {
      claims.fail(failed(Errors.reason(reason), reason));
      return;
    }
    Duration longer = pause.multipliedBy(2);
    Duration next = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    try {
      ScheduledFuture<?> unused =
          timer.schedule(
              () -> ask(round, next, deadlineNanos), pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      claims.fail(failed("the connection was closed", e));
    }
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long timeoutNanos = Arguments.timeoutNanos(max, timeout);
    if (claims.hasLapsed()) {
      subscribe();
    }
    if (claims.gatherStale()) {
      sendAcks();
    }
    return claims.take(max, timeoutNanos);
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    CompletableFuture<Void> acked = claims.ack(deliveries);
    if (!acked.isDone()) {
      sendAcks();
    }
    return acked;
  }

  @Override
  public void close() {
    if (beginClose()) {
      long deadline = System.nanoTime() + settings.stepBound().toNanos();
      finishAcks(deadline);
      giveBack();
      ended(deadline);
    }
  }

  /**
   * Refuses further calls.
   *
   * @return whether this was the first call
   */
  boolean beginClose() {
    claims.close();
    return closed.compareAndSet(false, true);
  }

  /** Waits until the acks that were given have been handled. */
  void finishAcks(long deadlineNanos) {
    // Where they were not, their futures fail at the end.
    boolean unused = claims.awaitIdle(deadlineNanos);
  }

  /** Gives back what was not acked. */
  void giveBack() {
    try {
      Claims.Round round = claims.giveBack();
      if (round != null) {
        ask(round, FIRST_PAUSE, System.nanoTime() + settings.stepBound().toNanos());
      }
    } catch (IllegalStateException e) {
      claims.fail(failed("the subscription takes nothing back: " + Errors.reason(e), e));
    }
  }

  /** Ends the subscription: the server then gives back what it was not told of. */
  void ended(long deadlineNanos) {
    watches.forEach(watch -> watch.cancel(false));
    boolean unused = claims.awaitIdle(deadlineNanos);
    claims.fail(new MqException(settings.endpoint() + ": the receiver was closed"));
    subscription().cancel();
    onClose.accept(this);
  }
}
