package org.mqproof.eventstore;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.kurrent.dbclient.proto.persistentsubscriptions.Persistent;
import io.kurrent.dbclient.proto.persistentsubscriptions.PersistentSubscriptionsGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/**
 * One consumer of a queue's group: what the server hands over, and what it is told.
 *
 * <p>Thread-safe. The listener is called by the connection's thread, one call after the other.
 */
final class Subscription {

  /** Gets what the server hands over. Must not block. */
  interface Listener {

    /** A message. */
    void arrived(EventId id, byte[] body);

    /** An event that is no message. */
    void arrivedEmpty(EventId id);

    /** Nothing more will come; called once. */
    void ended(Throwable cause);
  }

  private final EventStoreSettings settings;
  private final Link link;
  private final String queue;
  private final ManagedChannel channel;
  private final String name = "mqproof-" + UUID.randomUUID();
  private final Incoming incoming;

  private Subscription(
      EventStoreSettings settings,
      Link link,
      String queue,
      ManagedChannel channel,
      Listener listener) {
    this.settings = settings;
    this.link = link;
    this.queue = queue;
    this.channel = channel;
    incoming = new Incoming(listener);
  }

  /**
   * Looks whether a queue exists, and whether its group does what this connection promises.
   *
   * @param what for the error's sentence
   * @throws MqException if not, or if the server does not answer
   */
  static void check(EventStoreSettings settings, Link link, String queue, String what) {
    String group = settings.get(EventStoreSettings.GROUP);
    Persistent.SubscriptionInfo info;
    try {
      info = link.call(what, (channel, left) -> Requests.info(channel, left, queue, group));
    } catch (StatusRuntimeException e) {
      throw Errors.isMissing(e) ? missing(settings, queue, what, e) : link.failure(what, e);
    }
    List<String> broken = new ArrayList<>();
    // A message that is parked after so many retries is lost to this queue.
    require("maxRetryCount", info.getMaxRetryCount(), Integer.MAX_VALUE, "", broken);
    require(
        "messageTimeout",
        info.getMessageTimeoutMilliseconds(),
        settings.messageTimeout().toMillis(),
        " ms",
        broken);
    if (!broken.isEmpty()) {
      throw new MqException(
          "%s: cannot %s: its group %s cannot keep what the settings promise: %s"
              .formatted(settings.endpoint(), what, group, String.join("; ", broken)));
    }
  }

  private static void require(
      String name, long value, long wanted, String unit, List<String> broken) {
    if (value != wanted) {
      broken.add("%s is %d%s, must be %d%s".formatted(name, value, unit, wanted, unit));
    }
  }

  private static MqException missing(
      EventStoreSettings settings, String queue, String what, StatusRuntimeException cause) {
    return new MqException(
        "%s: cannot %s: there is no such queue: no group %s on a stream %s"
            .formatted(settings.endpoint(), what, settings.get(EventStoreSettings.GROUP), queue),
        cause);
  }

  /**
   * Begins.
   *
   * @throws MqException if there is no such queue, or the server does not answer
   */
  static Subscription open(
      EventStoreSettings settings, Link link, String queue, Listener listener) {
    String what = "receive from queue " + queue;
    check(settings, link, queue, what);
    try {
      return link.call(
          what,
          (channel, left) -> {
            Subscription subscription = new Subscription(settings, link, queue, channel, listener);
            subscription.begin(left);
            return subscription;
          });
    } catch (StatusRuntimeException e) {
      throw Errors.isMissing(e) ? missing(settings, queue, what, e) : link.failure(what, e);
    }
  }

  private void begin(long leftNanos) {
    StreamObserver<Persistent.ReadReq> unused =
        PersistentSubscriptionsGrpc.newStub(channel)
            .withInterceptors(Link.named(name))
            .read(incoming);
    tell(
        Requests.subscribe(
            queue,
            settings.get(EventStoreSettings.GROUP),
            settings.get(EventStoreSettings.PREFETCH)));
    try {
      ByteString id = Requests.await(incoming.confirmed, leftNanos);
      incoming.id = id;
    } catch (StatusRuntimeException e) {
      cancel();
      throw e;
    }
  }

  private synchronized void tell(Persistent.ReadReq request) {
    incoming.request().onNext(request);
  }

  /** Settles events, without waiting for it. */
  void ack(List<EventStoreDelivery> deliveries) {
    tell(Requests.ack(incoming.id, deliveries));
  }

  /** Gives events back at once, without waiting for it. */
  void giveBack(List<EventStoreDelivery> deliveries) {
    tell(Requests.giveBack(incoming.id, deliveries));
  }

  /** Ends it; what was not settled goes back to the queue. Idempotent. */
  void cancel() {
    incoming.cancel();
  }

  /**
   * Asks how many of the deliveries to this subscription are settled, by an ack or otherwise.
   *
   * @param settled is given the number, or -1 while the server's statistics do not show it
   * @param failed is given the failure instead
   */
  void askSettled(LongConsumer settled, Consumer<Throwable> failed) {
    PersistentSubscriptionsGrpc.newStub(channel)
        .withDeadlineAfter(settings.stepBound().toNanos(), TimeUnit.NANOSECONDS)
        .getInfo(
            Requests.infoOf(queue, settings.get(EventStoreSettings.GROUP)),
            new StreamObserver<>() {
              @Override
              public void onNext(Persistent.GetInfoResp answer) {
                settled.accept(settledIn(answer.getSubscriptionInfo()));
              }

              @Override
              public void onError(Throwable failure) {
                failed.accept(failure);
              }

              @Override
              public void onCompleted() {
                // The answer has come before.
              }
            });
  }

  private long settledIn(Persistent.SubscriptionInfo info) {
    return info.getConnectionsList().stream()
        .filter(connection -> connection.getConnectionName().equals(name))
        .mapToLong(connection -> connection.getTotalItems() - connection.getInFlightMessages())
        .findFirst()
        .orElse(-1);
  }

  /** Called by the connection's thread. */
  private final class Incoming
      implements ClientResponseObserver<Persistent.ReadReq, Persistent.ReadResp> {

    private final Listener listener;
    private final CompletableFuture<ByteString> confirmed = new CompletableFuture<>();
    private volatile ByteString id = ByteString.EMPTY;
    private volatile @Nullable ClientCallStreamObserver<Persistent.ReadReq> request;

    private Incoming(Listener listener) {
      this.listener = listener;
    }

    private ClientCallStreamObserver<Persistent.ReadReq> request() {
      ClientCallStreamObserver<Persistent.ReadReq> begun = request;
      if (begun == null) {
        throw new IllegalStateException("not begun");
      }
      return begun;
    }

    private void cancel() {
      ClientCallStreamObserver<Persistent.ReadReq> begun = request;
      if (begun != null) {
        begun.cancel("the receiver was closed", null);
      }
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Persistent.ReadReq> requestStream) {
      request = requestStream;
    }

    @Override
    public void onNext(Persistent.ReadResp answer) {
      if (answer.hasSubscriptionConfirmation()) {
        confirmed.complete(answer.getSubscriptionConfirmation().getSubscriptionIdBytes());
      } else if (answer.hasEvent()) {
        arrived(answer.getEvent());
      }
    }

    private void arrived(Persistent.ReadResp.ReadEvent read) {
      // An ack names what the group holds: the link, where the message is what it links to.
      EventId event = EventId.of((read.hasLink() ? read.getLink() : read.getEvent()).getId());
      boolean isMessage =
          read.hasEvent() && !Requests.MARKER.equals(read.getEvent().getMetadataMap().get("type"));
      if (isMessage) {
        listener.arrived(event, read.getEvent().getData().toByteArray());
      } else {
        listener.arrivedEmpty(event);
      }
    }

    @Override
    public void onError(Throwable failure) {
      if (!confirmed.completeExceptionally(failure)) {
        link.failed(channel, failure);
        listener.ended(failure);
      }
    }

    @Override
    public void onCompleted() {
      onError(Status.UNAVAILABLE.withDescription("the server ended it").asRuntimeException());
    }
  }
}
