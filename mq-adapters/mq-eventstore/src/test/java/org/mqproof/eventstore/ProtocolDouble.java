package org.mqproof.eventstore;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.kurrent.dbclient.proto.gossip.GossipGrpc;
import io.kurrent.dbclient.proto.gossip.GossipOuterClass;
import io.kurrent.dbclient.proto.persistentsubscriptions.Persistent;
import io.kurrent.dbclient.proto.persistentsubscriptions.PersistentSubscriptionsGrpc;
import io.kurrent.dbclient.proto.serverfeatures.ServerFeaturesGrpc;
import io.kurrent.dbclient.proto.serverfeatures.Serverfeatures;
import io.kurrent.dbclient.proto.shared.Shared;
import io.kurrent.dbclient.proto.streams.StreamsGrpc;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendReq;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.AppendResp;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.DeleteReq;
import io.kurrent.dbclient.proto.streams.StreamsOuterClass.DeleteResp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A protocol double: it answers the client's requests over gRPC on a loopback port, as the
 * documentation and source of EventStoreDB say that a node answers, out of the memory of this JVM.
 *
 * <p>It is no EventStoreDB. What is shown on it is shown of the client's side of the protocol, and
 * nothing about durability, replication, fail-over or speed of any server.
 *
 * <p>Thread-safe.
 */
final class ProtocolDouble implements AutoCloseable {

  /** What is to become of an append instead of a plain answer. Immutable. */
  record AppendFault(boolean stores, @Nullable StatusRuntimeException answer) {

    static AppendFault refused(Status status, String name) {
      Metadata trailers = new Metadata();
      trailers.put(key("exception"), name);
      return new AppendFault(false, status.asRuntimeException(trailers));
    }

    /** The connection is lost after the server has stored it, and before it has said so. */
    static AppendFault answerLost() {
      return new AppendFault(
          true, Status.UNAVAILABLE.withDescription("connection lost").asRuntimeException());
    }

    /** The server gives up, and may have stored it. */
    static AppendFault commitTimeout() {
      return new AppendFault(
          true, Status.ABORTED.withDescription("Operation timed out").asRuntimeException());
    }

    /** There is no answer at all. */
    static AppendFault silence() {
      return new AppendFault(false, null);
    }
  }

  private static final Context.Key<String> CONNECTION_NAME = Context.key("connection-name");
  private static final Duration TICK = Duration.ofMillis(20);
  private static final Duration REBIND_BOUND = Duration.ofSeconds(10);

  private final Map<String, DoubleStream> streams = new HashMap<>();
  private final Map<String, DoubleGroup> groups = new HashMap<>();
  private final Deque<AppendFault> appendFaults = new ArrayDeque<>();
  private final List<Integer> appendSizes = new ArrayList<>();
  private final ScheduledThreadPoolExecutor ticker = new ScheduledThreadPoolExecutor(1);
  // One thread, which starts with the server: no test may take it for a leftover of its own.
  private final NioEventLoopGroup loop = new NioEventLoopGroup(1);
  private final int port;
  private Server server;
  private String authorization = "";
  private @Nullable InetSocketAddress leader;
  private boolean silent;
  private int maxAppendBytes = 1 << 20;
  private Duration ackDelay = Duration.ZERO;
  private int acks;
  private int nacks;
  private int questions;
  private int connections;

  /**
   * Listens on a free port below those that outgoing connections are given: none of them takes it
   * while this is stopped.
   */
  ProtocolDouble() {
    server = startOnFreePort();
    port = server.getPort();
    int unused = ticker.prestartAllCoreThreads();
    ScheduledFuture<?> ticking =
        ticker.scheduleWithFixedDelay(
            this::tick, TICK.toNanos(), TICK.toNanos(), TimeUnit.NANOSECONDS);
    assert !ticking.isCancelled();
  }

  private Server startOnFreePort() {
    UncheckedIOException taken = new UncheckedIOException(new IOException("not tried yet"));
    for (int i = 0; i < 100; i++) {
      try {
        return start(ThreadLocalRandom.current().nextInt(10_000, 20_000));
      } catch (UncheckedIOException e) {
        taken = e;
      }
    }
    throw taken;
  }

  private Server start(int onPort) {
    try {
      return NettyServerBuilder.forAddress(loopback(onPort))
          .bossEventLoopGroup(loop)
          .workerEventLoopGroup(loop)
          .channelType(NioServerSocketChannel.class)
          .directExecutor()
          .maxInboundMessageSize(20 << 20)
          .permitKeepAliveTime(1, TimeUnit.MILLISECONDS)
          .permitKeepAliveWithoutCalls(true)
          .intercept(new Doorkeeper())
          .addTransportFilter(
              new ServerTransportFilter() {
                @Override
                public Attributes transportReady(Attributes attributes) {
                  connected();
                  return attributes;
                }
              })
          .addService(new Features())
          .addService(new Gossip())
          .addService(new Streams())
          .addService(new Subscriptions())
          .build()
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("the protocol double cannot listen", e);
    }
  }

  private static InetSocketAddress loopback(int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    } catch (UnknownHostException e) {
      throw new UncheckedIOException("four bytes are an address", e);
    }
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private synchronized void connected() {
    connections++;
  }

  private synchronized void tick() {
    long now = System.nanoTime();
    groups.values().forEach(group -> group.expire(now));
  }

  /** Where it listens. */
  String endpoint() {
    return "127.0.0.1:" + port;
  }

  InetSocketAddress address() {
    return loopback(port);
  }

  // What a test arranges.

  /** Knows one user; all others are refused. */
  synchronized void requireUser(String authorizationHeader) {
    authorization = authorizationHeader;
  }

  /** Refuses what only a leader does, and names the leader. */
  synchronized void follow(@Nullable InetSocketAddress newLeader) {
    leader = newLeader;
  }

  /** Takes requests and answers none, or is as before. */
  synchronized void beSilent(boolean nowSilent) {
    silent = nowSilent;
  }

  synchronized void nextAppend(AppendFault fault) {
    appendFaults.add(fault);
  }

  synchronized void maxAppendBytes(int bytes) {
    maxAppendBytes = bytes;
  }

  /** Handles acks so much later; those of a consumer that is gone by then are forgotten. */
  synchronized void ackDelay(Duration delay) {
    ackDelay = delay;
  }

  /** Ends every consumer's stream with an error. */
  synchronized void dropConsumers() {
    Status status = Status.UNAVAILABLE.withDescription("the node goes down");
    groups.values().forEach(group -> group.dropAll(status));
  }

  /** Makes a group as somebody else might have made it. */
  synchronized void createGroup(String queue, Persistent.CreateReq.Settings settings) {
    DoubleStream stream = streams.computeIfAbsent(queue, q -> new DoubleStream());
    groups.put(groupKey(queue, "mqproof"), new DoubleGroup(queue, "mqproof", stream, settings));
  }

  /** Breaks every connection and refuses new ones. */
  void stop() {
    try {
      boolean ended = server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
      assert ended;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Listens again after {@link #stop}, with all that was there.
   *
   * <p>The port may still be in use for a moment: Java closes the old socket with the next round of
   * the selector, after the server has said that it ended.
   */
  void startAgain() {
    long start = System.nanoTime();
    while (true) {
      try {
        server = start(port);
        return;
      } catch (UncheckedIOException inUse) {
        if (System.nanoTime() - start > REBIND_BOUND.toNanos()) {
          throw inUse;
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  // What a test looks at.

  /** The events of each append request, in the order of their arrival. */
  synchronized List<Integer> appendSizes() {
    return List.copyOf(appendSizes);
  }

  /** Requests with acks. */
  synchronized int acks() {
    return acks;
  }

  /** Requests that gave events back. */
  synchronized int nacks() {
    return nacks;
  }

  /** Connections that were ever made. */
  synchronized int connections() {
    return connections;
  }

  /** Questions for a group's statistics. */
  synchronized int questions() {
    return questions;
  }

  synchronized DoubleGroup group(String queue) {
    DoubleGroup group = groups.get(groupKey(queue, "mqproof"));
    if (group == null) {
      throw new AssertionError("no group of " + queue);
    }
    return group;
  }

  /** Events of a queue's stream, its first one included. */
  synchronized long events(String queue) {
    DoubleStream stream = streams.get(queue);
    return stream == null ? 0 : stream.last() + 1;
  }

  @Override
  public void close() {
    stop();
    List<Runnable> unused = ticker.shutdownNow();
    var ending = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    boolean ended = ending.awaitUninterruptibly(10, TimeUnit.SECONDS);
    assert ended;
  }

  private static String groupKey(String queue, String group) {
    return queue + "::" + group;
  }

  private static String name(Shared.StreamIdentifier stream) {
    return stream.getStreamName().toStringUtf8();
  }

  private static StatusRuntimeException error(Status status, String exception) {
    Metadata trailers = new Metadata();
    trailers.put(key("exception"), exception);
    return status.asRuntimeException(trailers);
  }

  private static StatusRuntimeException noGroup(String queue) {
    return error(
        Status.NOT_FOUND.withDescription(
            "Subscription group on stream " + queue + " does not exist."),
        "persistent-subscription-does-not-exist");
  }

  /** Credentials, leadership, silence. */
  private final class Doorkeeper implements ServerInterceptor {

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      String service = String.valueOf(call.getMethodDescriptor().getServiceName());
      boolean leads = service.endsWith(".Streams") || service.endsWith(".PersistentSubscriptions");
      synchronized (ProtocolDouble.this) {
        if (silent) {
          return new ServerCall.Listener<>() {};
        }
        if (!authorization.isEmpty() && !authorization.equals(headers.get(key("authorization")))) {
          call.close(Status.UNAUTHENTICATED.withDescription("Access denied"), new Metadata());
          return new ServerCall.Listener<>() {};
        }
        if (leader != null && leads && "true".equals(headers.get(key("requires-leader")))) {
          Metadata trailers = new Metadata();
          trailers.put(key("exception"), "not-leader");
          trailers.put(key("leader-endpoint-host"), leader.getHostString());
          trailers.put(key("leader-endpoint-port"), Integer.toString(leader.getPort()));
          call.close(Status.NOT_FOUND.withDescription("Leader info available"), trailers);
          return new ServerCall.Listener<>() {};
        }
      }
      String connection = headers.get(key("connection-name"));
      return Contexts.interceptCall(
          Context.current()
              .withValue(CONNECTION_NAME, connection == null ? "<unknown>" : connection),
          call,
          headers,
          next);
    }
  }

  private static final class Features extends ServerFeaturesGrpc.ServerFeaturesImplBase {
    @Override
    public void getSupportedMethods(
        Shared.Empty question, StreamObserver<Serverfeatures.SupportedMethods> out) {
      out.onNext(
          Serverfeatures.SupportedMethods.newBuilder()
              .setEventStoreServerVersion("0.0.0 (protocol double)")
              .build());
      out.onCompleted();
    }
  }

  private final class Gossip extends GossipGrpc.GossipImplBase {
    @Override
    public void read(Shared.Empty question, StreamObserver<GossipOuterClass.ClusterInfo> out) {
      InetSocketAddress leading;
      synchronized (ProtocolDouble.this) {
        leading = leader == null ? address() : leader;
      }
      out.onNext(
          GossipOuterClass.ClusterInfo.newBuilder()
              .addMembers(
                  GossipOuterClass.MemberInfo.newBuilder()
                      .setIsAlive(true)
                      .setState(GossipOuterClass.MemberInfo.VNodeState.Leader)
                      .setHttpEndPoint(
                          GossipOuterClass.EndPoint.newBuilder()
                              .setAddress(leading.getHostString())
                              .setPort(leading.getPort())))
              .build());
      out.onCompleted();
    }
  }

  private final class Streams extends StreamsGrpc.StreamsImplBase {

    @Override
    public StreamObserver<AppendReq> append(StreamObserver<AppendResp> out) {
      return new StreamObserver<>() {
        private AppendReq.Options options = AppendReq.Options.getDefaultInstance();
        private final List<DoubleStream.Event> events = new ArrayList<>();
        private long bytes;
        private boolean refused;

        @Override
        public void onNext(AppendReq request) {
          if (request.hasOptions()) {
            options = request.getOptions();
            return;
          }
          AppendReq.ProposedMessage message = request.getProposedMessage();
          String type = message.getMetadataOrDefault("type", "");
          bytes += message.getData().size() + 2L * type.length();
          events.add(
              new DoubleStream.Event(
                  0,
                  EventId.of(message.getId()),
                  message.getMetadataMap(),
                  message.getCustomMetadata(),
                  message.getData()));
          synchronized (ProtocolDouble.this) {
            if (!refused && bytes > maxAppendBytes) {
              refused = true;
              out.onError(
                  error(
                      Status.INVALID_ARGUMENT.withDescription(
                          "Maximum Append Size of " + maxAppendBytes + " Exceeded."),
                      "maximum-append-size-exceeded"));
            }
          }
        }

        @Override
        public void onError(Throwable gone) {
          refused = true; // an append that was not ended is none
        }

        @Override
        public void onCompleted() {
          if (!refused) {
            store(options, events, out);
          }
        }
      };
    }

    private void store(
        AppendReq.Options options,
        List<DoubleStream.Event> events,
        StreamObserver<AppendResp> out) {
      synchronized (ProtocolDouble.this) {
        appendSizes.add(events.size());
        boolean marker = options.hasNoStream();
        AppendFault fault = marker ? null : appendFaults.poll();
        AppendResp answer = null;
        if (fault == null || fault.stores()) {
          try {
            answer = store(options, events);
          } catch (StatusRuntimeException e) {
            out.onError(e);
            return;
          }
        }
        if (fault != null) {
          if (fault.answer() != null) {
            out.onError(fault.answer());
          }
          return;
        }
        out.onNext(answer);
        out.onCompleted();
      }
    }

    private AppendResp store(AppendReq.Options options, List<DoubleStream.Event> events) {
      String queue = name(options.getStreamIdentifier());
      DoubleStream.Expected expected =
          switch (options.getExpectedStreamRevisionCase()) {
            case ANY -> DoubleStream.Expected.ANY;
            case NO_STREAM -> DoubleStream.Expected.NO_STREAM;
            case STREAM_EXISTS -> DoubleStream.Expected.EXISTS;
            default -> throw Status.UNIMPLEMENTED.asRuntimeException();
          };
      DoubleStream stream = streams.computeIfAbsent(queue, q -> new DoubleStream());
      switch (stream.append(expected, events)) {
        case DELETED ->
            throw error(
                Status.FAILED_PRECONDITION.withDescription(
                    "Event stream '" + queue + "' is deleted."),
                "stream-deleted");
        case WRONG_EXPECTED_VERSION -> {
          return AppendResp.newBuilder()
              .setWrongExpectedVersion(AppendResp.WrongExpectedVersion.getDefaultInstance())
              .build();
        }
        default -> {
          groups.values().forEach(DoubleGroup::push);
          return AppendResp.newBuilder()
              .setSuccess(AppendResp.Success.newBuilder().setCurrentRevision(stream.last()))
              .build();
        }
      }
    }

    @Override
    public void delete(DeleteReq request, StreamObserver<DeleteResp> out) {
      synchronized (ProtocolDouble.this) {
        DoubleStream stream = streams.get(name(request.getOptions().getStreamIdentifier()));
        if (stream != null) {
          stream.delete();
        }
      }
      out.onNext(DeleteResp.getDefaultInstance());
      out.onCompleted();
    }
  }

  private final class Subscriptions
      extends PersistentSubscriptionsGrpc.PersistentSubscriptionsImplBase {

    @Override
    public void create(Persistent.CreateReq request, StreamObserver<Persistent.CreateResp> out) {
      String queue = name(request.getOptions().getStream().getStreamIdentifier());
      String group = request.getOptions().getGroupName();
      synchronized (ProtocolDouble.this) {
        if (groups.containsKey(groupKey(queue, group))) {
          out.onError(
              error(
                  Status.ALREADY_EXISTS.withDescription("Subscription group exists."),
                  "persistent-subscription-exists"));
          return;
        }
        DoubleStream stream = streams.computeIfAbsent(queue, q -> new DoubleStream());
        groups.put(
            groupKey(queue, group),
            new DoubleGroup(queue, group, stream, request.getOptions().getSettings()));
      }
      out.onNext(Persistent.CreateResp.getDefaultInstance());
      out.onCompleted();
    }

    @Override
    public void delete(Persistent.DeleteReq request, StreamObserver<Persistent.DeleteResp> out) {
      String queue = name(request.getOptions().getStreamIdentifier());
      synchronized (ProtocolDouble.this) {
        DoubleGroup group = groups.remove(groupKey(queue, request.getOptions().getGroupName()));
        if (group == null) {
          out.onError(noGroup(queue));
          return;
        }
        group.dropAll(Status.NOT_FOUND.withDescription("the group was deleted"));
      }
      out.onNext(Persistent.DeleteResp.getDefaultInstance());
      out.onCompleted();
    }

    @Override
    public void getInfo(Persistent.GetInfoReq request, StreamObserver<Persistent.GetInfoResp> out) {
      String queue = name(request.getOptions().getStreamIdentifier());
      Persistent.SubscriptionInfo info;
      synchronized (ProtocolDouble.this) {
        questions++;
        DoubleGroup group = groups.get(groupKey(queue, request.getOptions().getGroupName()));
        if (group == null) {
          out.onError(noGroup(queue));
          return;
        }
        info = group.info();
      }
      out.onNext(Persistent.GetInfoResp.newBuilder().setSubscriptionInfo(info).build());
      out.onCompleted();
    }

    @Override
    public StreamObserver<Persistent.ReadReq> read(StreamObserver<Persistent.ReadResp> out) {
      Consumer consumer = new Consumer(out, CONNECTION_NAME.get());
      ((ServerCallStreamObserver<Persistent.ReadResp>) out).setOnCancelHandler(consumer::gone);
      return consumer;
    }
  }

  /**
   * What a consumer says. As with the real server, the end of what it says is no end of its
   * subscription, and one that is gone is not listened to any more.
   */
  private final class Consumer implements StreamObserver<Persistent.ReadReq> {

    private final StreamObserver<Persistent.ReadResp> out;
    private final String connectionName;
    private DoubleGroup.@Nullable Session session;
    private @Nullable DoubleGroup group;

    private Consumer(StreamObserver<Persistent.ReadResp> out, String connectionName) {
      this.out = out;
      this.connectionName = connectionName;
    }

    @Override
    public void onNext(Persistent.ReadReq request) {
      synchronized (ProtocolDouble.this) {
        switch (request.getContentCase()) {
          case OPTIONS -> subscribe(request.getOptions());
          case ACK -> {
            acks++;
            later(
                joined ->
                    joined.ack(request.getAck().getIdsList().stream().map(EventId::of).toList()));
          }
          case NACK -> {
            nacks++;
            later(
                joined ->
                    joined.nack(
                        request.getNack().getIdsList().stream().map(EventId::of).toList(),
                        request.getNack().getAction()));
          }
          default -> throw new IllegalStateException("no content");
        }
      }
    }

    private void subscribe(Persistent.ReadReq.Options options) {
      String queue = name(options.getStreamIdentifier());
      DoubleGroup found = groups.get(groupKey(queue, options.getGroupName()));
      if (found == null) {
        out.onError(noGroup(queue));
        return;
      }
      DoubleGroup.Session joining =
          new DoubleGroup.Session(out, connectionName, options.getBufferSize());
      group = found;
      session = joining;
      found.add(joining);
    }

    private void later(java.util.function.Consumer<DoubleGroup> action) {
      if (ackDelay.isZero()) {
        handle(action);
        return;
      }
      ScheduledFuture<?> unused =
          ticker.schedule(() -> handle(action), ackDelay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void handle(java.util.function.Consumer<DoubleGroup> action) {
      synchronized (ProtocolDouble.this) {
        if (group != null && session != null) {
          action.accept(group);
        }
      }
    }

    private void gone() {
      synchronized (ProtocolDouble.this) {
        DoubleGroup left = group;
        DoubleGroup.Session leaving = session;
        group = null;
        session = null;
        if (left != null && leaving != null) {
          left.remove(leaving);
        }
      }
    }

    @Override
    public void onError(Throwable failure) {
      gone();
    }

    @Override
    public void onCompleted() {
      // The consumer may go on to listen.
    }
  }
}
