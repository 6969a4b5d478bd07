package org.mqproof.eventstore;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.kurrent.dbclient.proto.persistentsubscriptions.Persistent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A persistent subscription of the {@link ProtocolDouble}. Guarded by the lock of its double.
 *
 * <p>Imitates what a client can see of the real one: a consumer holds at most its buffer's size; an
 * ack names an event and settles it <em>whoever sends it</em>; a message that is given back, whose
 * claim has ended or whose consumer is gone comes again, before newer ones, with a higher retry
 * count, or is parked when that has reached its limit; a consumer that is gone is no reason to
 * park.
 */
final class DoubleGroup {

  /** An event to be delivered so many times again. Immutable. */
  private record Item(DoubleStream.Event event, int retries) {}

  /** A claim. Immutable. */
  private record Outstanding(Item item, long deadlineNanos) {}

  /** A consumer. */
  static final class Session {

    private final StreamObserver<Persistent.ReadResp> out;
    private final String connectionName;
    private final Map<EventId, Item> unconfirmed = new LinkedHashMap<>();
    private int slots;
    private long pushed;

    Session(StreamObserver<Persistent.ReadResp> out, String connectionName, int bufferSize) {
      this.out = out;
      this.connectionName = connectionName;
      slots = bufferSize;
    }
  }

  private final String queue;
  private final String name;
  private final DoubleStream stream;
  private final Persistent.CreateReq.Settings settings;
  private final List<Session> sessions = new ArrayList<>();
  private final TreeMap<Long, Item> retries = new TreeMap<>();
  private final Map<EventId, Outstanding> outstanding = new HashMap<>();
  private final List<DoubleStream.Event> parked = new ArrayList<>();
  private long next;

  DoubleGroup(
      String queue, String name, DoubleStream stream, Persistent.CreateReq.Settings settings) {
    this.queue = queue;
    this.name = name;
    this.stream = stream;
    this.settings = settings;
  }

  int parked() {
    return parked.size();
  }

  int maxRetryCount() {
    return settings.getMaxRetryCount();
  }

  Persistent.CreateReq.Settings settings() {
    return settings;
  }

  /** Hands over as much as there is room for. */
  void push() {
    while (true) {
      next = Math.max(next, stream.first());
      Map.Entry<Long, Item> retry = retries.firstEntry();
      DoubleStream.Event fresh = stream.at(next);
      if (retry == null && fresh == null) {
        return;
      }
      Session session = withRoom();
      if (session == null) {
        return;
      }
      Item item;
      if (retry != null) {
        retries.remove(retry.getKey());
        item = retry.getValue();
      } else {
        item = new Item(Objects.requireNonNull(fresh), 0);
        next++;
      }
      push(session, item);
    }
  }

  @SuppressWarnings("deprecation") // what this adapter sends, for older servers
  private @Nullable Session withRoom() {
    for (int i = 0; i < sessions.size(); i++) {
      Session session = sessions.get(i);
      if (session.slots > 0) {
        if (settings.getNamedConsumerStrategyValue()
            == Persistent.CreateReq.ConsumerStrategy.RoundRobin_VALUE) {
          sessions.remove(i);
          sessions.add(session);
        }
        return session;
      }
    }
    return null;
  }

  private void push(Session session, Item item) {
    session.slots--;
    session.pushed++;
    session.unconfirmed.put(item.event().id(), item);
    long deadline = System.nanoTime() + settings.getMessageTimeoutMs() * 1_000_000L;
    outstanding.put(item.event().id(), new Outstanding(item, deadline));
    session.out.onNext(delivery(item));
  }

  private Persistent.ReadResp delivery(Item item) {
    DoubleStream.Event event = item.event();
    return Persistent.ReadResp.newBuilder()
        .setEvent(
            Persistent.ReadResp.ReadEvent.newBuilder()
                .setEvent(
                    Persistent.ReadResp.ReadEvent.RecordedEvent.newBuilder()
                        .setId(event.id().onTheWire())
                        .setStreamIdentifier(Requests.stream(queue))
                        .setStreamRevision(event.revision())
                        .putAllMetadata(event.metadata())
                        .setCustomMetadata(event.custom())
                        .setData(event.data()))
                .setCommitPosition(event.revision())
                .setRetryCount(item.retries()))
        .build();
  }

  void add(Session session) {
    sessions.add(session);
    session.out.onNext(
        Persistent.ReadResp.newBuilder()
            .setSubscriptionConfirmation(
                Persistent.ReadResp.SubscriptionConfirmation.newBuilder()
                    .setSubscriptionIdBytes(ByteString.copyFromUtf8(queue + "::" + name)))
            .build());
    push();
  }

  /** A consumer is gone: all that it held comes again. */
  void remove(Session session) {
    if (!sessions.remove(session)) {
      return;
    }
    List<Item> lost = new ArrayList<>(session.unconfirmed.values());
    lost.sort(Comparator.comparing(item -> item.event().revision()));
    lost.forEach(this::retry);
    push();
  }

  /** Ends every consumer's stream with an error. */
  void dropAll(Status status) {
    for (Session session : List.copyOf(sessions)) {
      remove(session);
      session.out.onError(status.asRuntimeException());
    }
  }

  void ack(List<EventId> ids) {
    ids.forEach(this::forget);
    push();
  }

  private void forget(EventId id) {
    for (Session session : sessions) {
      if (session.unconfirmed.remove(id) != null) {
        session.slots++;
      }
    }
    outstanding.remove(id);
  }

  void nack(List<EventId> ids, Persistent.ReadReq.Nack.Action action) {
    for (EventId id : ids) {
      Outstanding held = outstanding.get(id);
      if (held == null) {
        continue;
      }
      switch (action) {
        case Park -> park(held.item());
        case Retry, Unknown -> retryOrPark(held.item());
        default -> forget(id);
      }
    }
    push();
  }

  /** Ends the claims whose time is over. */
  void expire(long nowNanos) {
    for (Outstanding held : List.copyOf(outstanding.values())) {
      if (held.deadlineNanos() - nowNanos <= 0) {
        retryOrPark(held.item());
      }
    }
    push();
  }

  private void retryOrPark(Item item) {
    if (item.retries() < settings.getMaxRetryCount()) {
      retry(item);
    } else {
      park(item);
    }
  }

  private void retry(Item item) {
    forget(item.event().id());
    retries.put(item.event().revision(), new Item(item.event(), item.retries() + 1));
  }

  private void park(Item item) {
    forget(item.event().id());
    parked.add(item.event());
  }

  Persistent.SubscriptionInfo info() {
    Persistent.SubscriptionInfo.Builder info =
        Persistent.SubscriptionInfo.newBuilder()
            .setEventSource(queue)
            .setGroupName(name)
            .setMessageTimeoutMilliseconds(settings.getMessageTimeoutMs())
            .setMaxRetryCount(settings.getMaxRetryCount())
            .setParkedMessageCount(parked.size())
            .setOutstandingMessagesCount(outstanding.size());
    for (Session session : sessions) {
      info.addConnections(
          Persistent.SubscriptionInfo.ConnectionInfo.newBuilder()
              .setConnectionName(session.connectionName)
              .setTotalItems(session.pushed)
              .setInFlightMessages(session.unconfirmed.size())
              .setAvailableSlots(session.slots));
    }
    return info.build();
  }
}
