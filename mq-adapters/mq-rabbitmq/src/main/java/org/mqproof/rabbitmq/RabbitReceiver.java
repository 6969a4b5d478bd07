package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.support.Arguments;
import org.mqproof.support.BoundedWaits;

/**
 * Receives from one queue over a channel of its own, to which the broker pushes up to {@code
 * prefetch} messages. They are hidden from others from then on, until they are acked or the channel
 * closes.
 *
 * <p>A receiver whose channel is lost stays lost and says so: what it held comes back to others,
 * and it must be opened anew. The broker also closes a channel that leaves a message unacked for
 * longer than its {@code consumer_timeout}, 30 minutes by default.
 *
 * <p>Not thread-safe: one receiver, one thread at a time. The connection's reading thread hands
 * over what arrives, and completes the futures.
 */
final class RabbitReceiver implements Receiver {

  /** After so long without a message the queue is looked for: brokers lose cancels under load. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final RabbitSettings settings;
  private final String queue;
  private final Link link;
  private final Channel channel;
  private final Consumer<RabbitReceiver> onClose;
  private final Claims claims;
  private final String consumerTag;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CompletableFuture<Void> cancelled = new CompletableFuture<>();
  private boolean quiet; // since a receive found nothing
  private long quietFromNanos;

  /**
   * Consumes at once.
   *
   * @throws MqException if there is no such queue, or the broker does not answer
   */
  RabbitReceiver(
      RabbitSettings settings, String queue, Link link, Consumer<RabbitReceiver> onClose) {
    this.settings = settings;
    this.queue = queue;
    this.link = link;
    this.onClose = onClose;
    Channel opened = null;
    try {
      opened = link.openChannel();
      channel = opened;
      int number = channel.getChannelNumber();
      claims =
          new Claims(
              settings.endpoint() + ", queue " + queue,
              settings.get(RabbitSettings.ACK_BATCH),
              (tag, multiple) -> link.outbox().ack(number, tag, multiple));
      channel.addShutdownListener(signal -> claims.fail(failed(Errors.reason(signal), signal)));
      channel.basicQos(settings.get(RabbitSettings.PREFETCH));
      consumerTag =
          channel.basicConsume(settings.physicalName(queue), false, new Incoming(channel, this));
    } catch (IOException | ShutdownSignalException e) {
      throw link.failed("receive from queue " + queue, opened, e);
    }
  }

  private MqException failed(String reason, @Nullable Exception cause) {
    return new MqException(
        "%s: the receiver of queue %s failed and must be opened anew: %s"
            .formatted(settings.endpoint(), queue, reason),
        cause);
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long left = Arguments.timeoutNanos(max, timeout);
    try {
      while (true) {
        long wait = Math.min(left, QUIET_NANOS);
        List<Delivery> taken = claims.take(max, wait);
        if (!taken.isEmpty()) {
          quiet = false;
          return taken;
        }
        lookForQueueIfQuiet(wait);
        left -= wait;
        if (left <= 0 && !cancelled.isDone()) {
          return taken;
        }
      }
    } catch (MqException e) {
      throw cancelled.isDone() ? failed(whyCancelled(), e) : e;
    }
  }

  /** What else goes wrong with it, the receiver's own channel tells. */
  private void lookForQueueIfQuiet(long waitedNanos) {
    long now = System.nanoTime();
    if (!quiet) {
      quiet = true;
      quietFromNanos = now - waitedNanos;
    }
    if (now - quietFromNanos < QUIET_NANOS) {
      return;
    }
    try {
      AMQP.Queue.DeclareOk found = declarePassively();
      // Not a zero alone: a quorum queue without a leader counts neither consumers nor messages.
      if (found.getConsumerCount() == 0 && found.getMessageCount() > 0) {
        cancelledByBroker(); // deleted and made again: the consumer went with the queue that was
      }
    } catch (MqException e) {
      if (Errors.isMissing(e)) {
        cancelledByBroker();
      }
    }
    quiet = false;
  }

  private AMQP.Queue.DeclareOk declarePassively() {
    AtomicReference<AMQP.Queue.DeclareOk> found = new AtomicReference<>();
    link.call(
        "look for queue " + queue,
        asking -> found.set(asking.queueDeclarePassive(settings.physicalName(queue))));
    return Objects.requireNonNull(found.get());
  }

  void cancelledByBroker() {
    boolean unused = cancelled.complete(null);
    claims.fail(failed("the broker ended it", null));
  }

  boolean isOf(String another) {
    return queue.equals(another);
  }

  /**
   * Waits until the broker has said that the queue has ended; returns at the deadline anyway, and
   * at once where the channel has ended, on which nothing is said any more.
   */
  void awaitCancel(long deadlineNanos) {
    boolean unused = !channel.isOpen() || BoundedWaits.await(cancelled, deadlineNanos);
  }

  /** The broker cancels a consumer without a reason, so this asks for the queue. */
  private String whyCancelled() {
    try {
      AMQP.Queue.DeclareOk unused = declarePassively();
      return "the broker ended it and the queue is there: it was deleted and made again, a message"
          + " was unacked for longer than consumer_timeout, or the user may not read any more";
    } catch (MqException e) {
      return "the broker ended it: " + Errors.reason(e.getCause() == null ? e : e.getCause());
    }
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
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    claims.release(deliveries);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    claims.requireExtendable(deliveries);
    return CompletableFuture.completedFuture(null);
  }

  /** Sends acks if it is time to; also from the thread that reads. */
  private void sendAcks() {
    Claims.Round round = claims.nextRound();
    try {
      if (round == null) {
        link.outbox().flush(); // a full batch of acks does not wait for the round under way
        return;
      }
      // Changes nothing: it holds for consumers to come, and there are none. Flushes the acks too.
      var unused = ask().whenComplete((answer, failure) -> answered(round, failure));
    } catch (IOException | ShutdownSignalException e) {
      claims.fail(failed(Errors.reason(e), e));
    }
  }

  private CompletableFuture<?> ask() throws IOException {
    return channel.asyncCompletableRpc(
        new AMQP.Basic.Qos.Builder().prefetchCount(settings.get(RabbitSettings.PREFETCH)).build());
  }

  private void answered(Claims.Round round, @Nullable Throwable failure) {
    if (failure != null) {
      claims.fail(failed(Errors.reason(failure), null));
      return;
    }
    claims.answered(round);
    sendAcks();
  }

  @Override
  public void close() {
    if (beginClose()) {
      long deadline = System.nanoTime() + settings.stepBound().toNanos();
      finishAcks(deadline);
      link.close(channel);
      ended();
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

  /** Waits until the acks that were given have reached the queue. */
  void finishAcks(long deadlineNanos) {
    if (!claims.awaitIdle(deadlineNanos)) {
      return;
    }
    // A quorum queue's client in the broker's channel holds acks back while many are being
    // replicated, and forgets them when the channel closes. A cancel is replicated after all that
    // were sent, so when it is answered there is room for those held back; the next request is
    // handled after these are on their way, and the channel's end is noticed by the queue later.
    // A classic queue on another node gets acks through a process in between, and the channel's
    // end directly, which takes back what was not acked. No request waits for that process; the
    // cancel, which the queue answers, gives it the time of a way there and back.
    try {
      AMQP.Basic.Cancel cancel =
          new AMQP.Basic.Cancel.Builder().consumerTag(consumerTag).nowait(false).build();
      if (answers(channel.asyncCompletableRpc(cancel), deadlineNanos)) {
        boolean unused = answers(ask(), deadlineNanos);
      }
    } catch (IOException | ShutdownSignalException e) {
      claims.fail(failed(Errors.reason(e), e));
    }
  }

  /** Whether the broker does so in time; if not, closing goes on without. */
  private static boolean answers(CompletableFuture<?> request, long deadlineNanos) {
    try {
      request.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The channel is closed: what has no answer has failed. */
  void ended() {
    claims.fail(new MqException(settings.endpoint() + ": the receiver was closed"));
    onClose.accept(this);
  }

  /** What the broker pushes; called by the connection's reading thread. */
  private static final class Incoming extends DefaultConsumer {

    private final RabbitReceiver receiver;
    private final List<RabbitDelivery> gathered = new ArrayList<>();

    private Incoming(Channel channel, RabbitReceiver receiver) {
      super(channel);
      this.receiver = receiver;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
      if (gathered.isEmpty()) {
        receiver.link.inbox().handOverBeforeRead(this::handOver);
      }
      Map<String, Object> table = properties.getHeaders();
      gathered.add(
          new RabbitDelivery(
              receiver.claims,
              envelope.getDeliveryTag(),
              new Message(body, Headers.of(table)),
              Headers.attempt(table, receiver.settings.quorum())));
    }

    private int handOver() {
      int count = gathered.size();
      receiver.claims.arrived(gathered);
      gathered.clear();
      return count;
    }

    @Override
    public void handleCancel(String tag) {
      receiver.cancelledByBroker();
    }
  }
}
