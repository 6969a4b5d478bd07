package org.mqproof.eventstore;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.kurrent.dbclient.proto.persistentsubscriptions.Persistent;
import io.kurrent.dbclient.proto.persistentsubscriptions.PersistentSubscriptionsGrpc;
import io.kurrent.dbclient.proto.shared.Shared;
import io.kurrent.dbclient.proto.streams.StreamsGrpc;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendReq;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendResp;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.DeleteReq;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What is asked of the server, in its protocol. Stateless. */
final class Requests {

  /** The type of the first event of a queue's stream, which makes the stream exist. */
  static final String MARKER = "mqproof-queue";

  private static final String MESSAGE = "mqproof";
  private static final Shared.Empty YES = Shared.Empty.getDefaultInstance();

  private Requests() {}

  private static ByteString name(String queue) {
    return ByteString.copyFromUtf8(queue);
  }

  static Shared.StreamIdentifier stream(String queue) {
    return Shared.StreamIdentifier.newBuilder().setStreamName(name(queue)).build();
  }

  /** A message as an event. */
  static AppendReq event(EventId id, byte[] body) {
    return event(id, MESSAGE, body);
  }

  private static AppendReq event(EventId id, String type, byte[] body) {
    return AppendReq.newBuilder()
        .setProposedMessage(
            AppendReq.ProposedMessage.newBuilder()
                .setId(id.onTheWire())
                .putMetadata("type", type)
                .putMetadata("content-type", "application/octet-stream")
                .setData(ByteString.copyFrom(body)))
        .build();
  }

  /**
   * Appends events to a queue's stream, all of them or none, if that stream exists. Returns when
   * they are handed over.
   *
   * @param answer its answer or failure
   */
  static void append(
      ManagedChannel channel,
      long leftNanos,
      String queue,
      List<AppendReq> events,
      StreamObserver<AppendResp> answer) {
    AppendReq.Options.Builder options =
        AppendReq.Options.newBuilder().setStreamIdentifier(stream(queue)).setStreamExists(YES);
    append(channel, leftNanos, options, events, answer);
  }

  private static void append(
      ManagedChannel channel,
      long leftNanos,
      AppendReq.Options.Builder options,
      List<AppendReq> events,
      StreamObserver<AppendResp> answer) {
    StreamObserver<AppendReq> request =
        StreamsGrpc.newStub(channel)
            .withDeadlineAfter(leftNanos, TimeUnit.NANOSECONDS)
            .append(answer);
    request.onNext(AppendReq.newBuilder().setOptions(options).build());
    events.forEach(request::onNext);
    request.onCompleted();
  }

  /** Makes a queue's stream exist. An existing one stays as it is. */
  static void createStream(ManagedChannel channel, long leftNanos, String queue) {
    CompletableFuture<AppendResp> answer = new CompletableFuture<>();
    append(
        channel,
        leftNanos,
        AppendReq.Options.newBuilder().setStreamIdentifier(stream(queue)).setNoStream(YES),
        List.of(event(EventId.random(), MARKER, new byte[0])),
        new StreamObserver<>() {
          @Override
          public void onNext(AppendResp value) {
            answer.complete(value);
          }

          @Override
          public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
          }

          @Override
          public void onCompleted() {
            // The answer has come before.
          }
        });
    // Whether it was created or, by the answer "wrong expected version", was there.
    AppendResp unused = await(answer, leftNanos);
  }

  /** Waits for the answer to a request whose deadline is so many nanoseconds away. */
  static <T> T await(CompletableFuture<T> answer, long leftNanos) {
    try {
      // The call's own deadline comes first, and says more.
      return answer.get(leftNanos + TimeUnit.SECONDS.toNanos(1), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StatusRuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException("a call ends in no other way", e);
    } catch (TimeoutException e) {
      throw Status.DEADLINE_EXCEEDED.withCause(e).asRuntimeException();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Status.CANCELLED.withDescription("interrupted").withCause(e).asRuntimeException();
    }
  }

  static void deleteStream(ManagedChannel channel, long leftNanos, String queue) {
    var unused =
        StreamsGrpc.newBlockingStub(channel)
            .withDeadlineAfter(leftNanos, TimeUnit.NANOSECONDS)
            .delete(
                DeleteReq.newBuilder()
                    .setOptions(
                        DeleteReq.Options.newBuilder()
                            .setStreamIdentifier(stream(queue))
                            .setAny(YES))
                    .build());
  }

  private static PersistentSubscriptionsGrpc.PersistentSubscriptionsBlockingStub groups(
      ManagedChannel channel, long leftNanos) {
    return PersistentSubscriptionsGrpc.newBlockingStub(channel)
        .withDeadlineAfter(leftNanos, TimeUnit.NANOSECONDS);
  }

  @SuppressWarnings("deprecation") // servers before 21.10 read the stream's name there
  static void createGroup(
      ManagedChannel channel, long leftNanos, String queue, EventStoreSettings settings) {
    var unused =
        groups(channel, leftNanos)
            .create(
                Persistent.CreateReq.newBuilder()
                    .setOptions(
                        Persistent.CreateReq.Options.newBuilder()
                            .setStream(
                                Persistent.CreateReq.StreamOptions.newBuilder()
                                    .setStreamIdentifier(stream(queue))
                                    .setStart(YES))
                            .setStreamIdentifier(stream(queue))
                            .setGroupName(settings.get(EventStoreSettings.GROUP))
                            .setSettings(groupSettings(settings)))
                    .build());
  }

  @SuppressWarnings("deprecation") // the newer field is unknown to servers before 21.10
  private static Persistent.CreateReq.Settings groupSettings(EventStoreSettings settings) {
    return Persistent.CreateReq.Settings.newBuilder()
        .setResolveLinks(settings.get(EventStoreSettings.RESOLVE_LINKS))
        .setMessageTimeoutMs(Math.toIntExact(settings.messageTimeout().toMillis()))
        .setMaxRetryCount(Integer.MAX_VALUE) // a message that is parked would be lost to this queue
        .setReadBatchSize(settings.get(EventStoreSettings.READ_BATCH_SIZE))
        .setHistoryBufferSize(settings.get(EventStoreSettings.HISTORY_BUFFER_SIZE))
        .setLiveBufferSize(settings.get(EventStoreSettings.LIVE_BUFFER_SIZE))
        .setCheckpointAfterMs(
            Math.toIntExact(settings.get(EventStoreSettings.CHECKPOINT_AFTER).toMillis()))
        .setMinCheckpointCount(settings.get(EventStoreSettings.CHECKPOINT_MIN_COUNT))
        .setMaxCheckpointCount(settings.get(EventStoreSettings.CHECKPOINT_MAX_COUNT))
        .setMaxSubscriberCount(0) // no limit
        .setNamedConsumerStrategy(
            Persistent.CreateReq.ConsumerStrategy.valueOf(
                settings.get(EventStoreSettings.CONSUMER_STRATEGY).onTheWire()))
        .build();
  }

  static void deleteGroup(ManagedChannel channel, long leftNanos, String queue, String group) {
    var unused =
        groups(channel, leftNanos)
            .delete(
                Persistent.DeleteReq.newBuilder()
                    .setOptions(
                        Persistent.DeleteReq.Options.newBuilder()
                            .setStreamIdentifier(stream(queue))
                            .setGroupName(group))
                    .build());
  }

  /** The question for {@link #info}. */
  static Persistent.GetInfoReq infoOf(String queue, String group) {
    return Persistent.GetInfoReq.newBuilder()
        .setOptions(
            Persistent.GetInfoReq.Options.newBuilder()
                .setStreamIdentifier(stream(queue))
                .setGroupName(group))
        .build();
  }

  static Persistent.SubscriptionInfo info(
      ManagedChannel channel, long leftNanos, String queue, String group) {
    return groups(channel, leftNanos).getInfo(infoOf(queue, group)).getSubscriptionInfo();
  }

  /** Begins a subscription. */
  static Persistent.ReadReq subscribe(String queue, String group, int bufferSize) {
    return Persistent.ReadReq.newBuilder()
        .setOptions(
            Persistent.ReadReq.Options.newBuilder()
                .setStreamIdentifier(stream(queue))
                .setGroupName(group)
                .setBufferSize(bufferSize)
                .setUuidOption(
                    Persistent.ReadReq.Options.UUIDOption.newBuilder().setStructured(YES)))
        .build();
  }

  /** Settles events of a subscription. */
  static Persistent.ReadReq ack(ByteString subscription, List<EventStoreDelivery> deliveries) {
    Persistent.ReadReq.Ack.Builder ack = Persistent.ReadReq.Ack.newBuilder().setId(subscription);
    deliveries.forEach(delivery -> ack.addIds(delivery.id().onTheWire()));
    return Persistent.ReadReq.newBuilder().setAck(ack).build();
  }

  /** Gives events of a subscription back. */
  static Persistent.ReadReq giveBack(ByteString subscription, List<EventStoreDelivery> deliveries) {
    Persistent.ReadReq.Nack.Builder nack =
        Persistent.ReadReq.Nack.newBuilder()
            .setId(subscription)
            .setAction(Persistent.ReadReq.Nack.Action.Retry)
            .setReason("the receiver was closed");
    deliveries.forEach(delivery -> nack.addIds(delivery.id().onTheWire()));
    return Persistent.ReadReq.newBuilder().setNack(nack).build();
  }
}
