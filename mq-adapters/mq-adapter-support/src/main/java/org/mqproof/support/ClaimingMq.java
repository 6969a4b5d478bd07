package org.mqproof.support;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/**
 * Base of adapters for systems that are asked by requests, with answers in bounded time, such as
 * databases and streams: sends are gathered into requests, and receivers claim messages for a
 * period by requests. A subclass creates, finds and deletes queues and supplies the requests.
 *
 * <p>Thread-safe.
 *
 * @param <Q> the subclass's handle of a queue
 * @param <D> its deliveries
 */
public abstract class ClaimingMq<Q, D extends ClaimedDelivery> implements Mq {

  /**
   * Limits of every queue of a connection.
   *
   * @param step longest wait for one answer of the system
   * @param claimPeriod time for which a delivered message is hidden from other receivers
   */
  public record Bounds(Duration step, Duration claimPeriod) {

    private static final Duration LEAST_HOLD = Duration.ofSeconds(1);

    /**
     * Longest time between a claim and its delivery to the user, who then has the whole claim
     * period.
     *
     * @return a quarter of the period, and at least 1 s, which covers a slow answer
     */
    public Duration hold() {
      Duration quarter = claimPeriod.dividedBy(4);
      return quarter.compareTo(LEAST_HOLD) > 0 ? quarter : LEAST_HOLD;
    }

    /**
     * Time for which a claim hides a message.
     *
     * @return claim period and hold
     */
    public Duration hidden() {
      return claimPeriod.plus(hold());
    }

    /**
     * Age at which a claim has surely ended, seen from the client.
     *
     * @return from the request of the claim
     */
    public Duration over() {
      return hidden().plus(hold());
    }
  }

  private static final Duration EXPIRE_INTERVAL = Duration.ofMillis(200);

  private final String endpoint;
  private final BlockingCalls calls;
  private final Bounds bounds;
  private final Class<D> type;
  private final ScheduledThreadPoolExecutor watch;
  private final OpenParts<GatheredSender, ClaimingReceiver<D>> parts;

  /**
   * Starts the thread that gives up late sends.
   *
   * @param system name of the system, part of the thread's name
   * @param endpoint start of error messages; holds no secret
   * @param calls runs the requests
   * @param bounds limits of every queue
   * @param type class of the deliveries
   */
  protected ClaimingMq(
      String system, String endpoint, BlockingCalls calls, Bounds bounds, Class<D> type) {
    this.endpoint = endpoint;
    parts = new OpenParts<>(endpoint);
    this.calls = calls;
    this.bounds = bounds;
    this.type = type;
    watch =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mqproof-" + system + "-watch");
              thread.setDaemon(true);
              return thread;
            });
    ScheduledFuture<?> unused =
        watch.scheduleWithFixedDelay(
            this::expire,
            EXPIRE_INTERVAL.toNanos(),
            EXPIRE_INTERVAL.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  private void expire() {
    long now = System.nanoTime();
    parts.senders().forEach(sender -> sender.expire(now));
  }

  /**
   * Creates a queue unless it exists. Called in a thread that may block.
   *
   * @param queue a valid name
   * @throws Exception if the result is unknown
   */
  protected abstract void create(String queue) throws Exception;

  /**
   * Deletes a queue if it exists. Called in a thread that may block.
   *
   * @param queue a valid name
   * @throws Exception if the result is unknown
   */
  protected abstract void delete(String queue) throws Exception;

  /**
   * Finds a queue. Called in a thread that may block.
   *
   * @param queue any name
   * @return handle of the queue
   * @throws Exception if it does not exist or cannot be looked up
   */
  protected abstract Q find(String queue) throws Exception;

  /**
   * Creates the store of a new sender.
   *
   * @param queue handle from {@link #find}
   * @return used by this sender only
   */
  protected abstract GatheredSends.Store store(Q queue);

  /**
   * Creates the requests of a new receiver.
   *
   * @param queue handle from {@link #find}
   * @return used by this receiver only
   */
  protected abstract ClaimingReceiver.Claims<D> claims(Q queue);

  /**
   * What a message may have. Called for each new sender.
   *
   * @return the limits that the traits declare, unless a subclass reserves names as well
   */
  protected MessageLimits limits() {
    return MessageLimits.of(traits());
  }

  /** Closes the connections to the system and {@link BlockingCalls}. Called once. */
  protected abstract void closeConnections();

  @Override
  public final void createQueue(String queue) {
    parts.requireOpen();
    Arguments.requireQueueName(queue);
    call("create queue " + queue, () -> create(queue));
  }

  @Override
  public final void deleteQueue(String queue) {
    parts.requireOpen();
    Arguments.requireQueueName(queue);
    call("delete queue " + queue, () -> delete(queue));
  }

  private interface Order {
    void run() throws Exception;
  }

  private void call(String what, Order order) {
    boolean unused =
        calls.call(
            what,
            () -> {
              order.run();
              return true;
            });
  }

  @Override
  public final Sender sender(String queue) {
    parts.requireOpen();
    Q found = calls.call("send to queue " + queue, () -> find(queue));
    return parts.add(
        new GatheredSender(queue, calls, limits(), store(found), parts.senders()::remove));
  }

  @Override
  public final Receiver receiver(String queue) {
    parts.requireOpen();
    Q found = calls.call("receive from queue " + queue, () -> find(queue));
    ClaimingReceiver.Claims<D> claims = claims(found);
    AckRounds<D> acks =
        new AckRounds<>(endpoint + ", queue " + queue, type, claims, calls, bounds.over());
    return parts.add(
        new ClaimingReceiver<>(
            queue, calls, bounds.hold(), claims, acks, parts.receivers()::remove));
  }

  @Override
  public final void close() {
    if (!parts.beginClose()) {
      return;
    }
    long now = System.nanoTime();
    List<ClaimingReceiver<D>> open =
        parts.receivers().stream().filter(ClaimingReceiver::beginClose).toList();
    parts.senders().forEach(GatheredSender::beginClose);
    parts.senders().forEach(sender -> sender.awaitOutcomes(now + bounds.step().toNanos()));
    open.forEach(receiver -> receiver.finishClose(now + bounds.step().toNanos() * 3));
    List<Runnable> unused = watch.shutdownNow();
    boolean interrupted = Thread.interrupted(); // drivers would close half
    try {
      closeConnections();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
