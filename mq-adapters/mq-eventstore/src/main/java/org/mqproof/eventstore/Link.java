package org.mqproof.eventstore;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.MetadataUtils;
import io.kurrent.dbclient.proto.gossip.GossipGrpc;
import io.kurrent.dbclient.proto.gossip.GossipOuterClass.MemberInfo;
import io.kurrent.dbclient.proto.serverfeatures.ServerFeaturesGrpc;
import io.kurrent.dbclient.proto.shared.Shared;
import java.io.File;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/**
 * The one connection of an {@link EventStoreMq}, to the node that leads: opened when it is needed,
 * and opened anew after the leader has changed.
 *
 * <p>The channel is made here, out of the client's generated protocol classes, and not by its
 * {@code KurrentDBClient}: that one closes itself for good when no node answers for a while, leaves
 * a thread behind when it is closed, does not follow a node that names the leader, starts appends
 * in another order than it was asked to, and ends a subscription without waiting for its acks.
 *
 * <p>Thread-safe.
 */
final class Link implements AutoCloseable {

  /** What one call does with the channel, in so many nanoseconds. */
  interface Request<T> {
    T send(ManagedChannel channel, long leftNanos);
  }

  /** Above the server's own limit of a message, 16 MiB. */
  private static final int LARGEST_INBOUND_BYTES = 20 << 20;

  /** After which a sign of life is asked for, and waited for: the least that gRPC takes. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** Between two attempts while the cluster elects a leader. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final EventStoreSettings settings;
  private final ClientInterceptor headers;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ReentrantLock lock = new ReentrantLock();
  // Guarded by lock.
  private final List<ManagedChannel> opened = new ArrayList<>();
  private @Nullable ManagedChannel current;
  private @Nullable InetSocketAddress leader;
  // Of the last attempt to connect; guarded by lock.
  private @Nullable MqException failure;
  private long failedNanos;

  /**
   * Connects to nothing yet.
   *
   * @throws IllegalArgumentException if there are no credentials where they should be
   */
  Link(EventStoreSettings settings, Optional<Credentials> credentials) {
    this.settings = settings;
    Metadata metadata = new Metadata();
    credentials.ifPresent(user -> metadata.put(key("authorization"), user.header()));
    // Without this, any node takes a request and forwards it; only the leader has subscriptions.
    metadata.put(key("requires-leader"), "true");
    headers = MetadataUtils.newAttachHeadersInterceptor(metadata);
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /** Shown by the server's tools, and in its statistics of a subscription. */
  static ClientInterceptor named(String connectionName) {
    Metadata metadata = new Metadata();
    metadata.put(key("connection-name"), connectionName);
    return MetadataUtils.newAttachHeadersInterceptor(metadata);
  }

  /**
   * The channel to the node that leads, as far as is known.
   *
   * @throws MqException if no node answers within {@code connect.bound}
   * @throws IllegalStateException if closed
   */
  ManagedChannel channel() {
    long askedNanos = System.nanoTime();
    lock.lock();
    try {
      requireOpen();
      if (current != null) {
        return current;
      }
      if (failure != null && failedNanos - askedNanos > 0) {
        // Another thread tried while this one waited; each trying for itself would take too long.
        throw new MqException(String.valueOf(failure.getMessage()), failure);
      }
      ManagedChannel channel = connect();
      current = channel;
      return channel;
    } catch (MqException e) {
      failure = e;
      failedNanos = System.nanoTime();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() {
    if (closing.getCount() == 0) {
      throw new IllegalStateException("this connection to " + settings.endpoint() + " is closed");
    }
  }

  /** Takes note of a failure that another node, or a new attempt, might not have. */
  void failed(ManagedChannel used, Throwable cause) {
    lock.lock();
    try {
      if (used != current || !Errors.isPassing(cause)) {
        return;
      }
      Optional<InetSocketAddress> other = Errors.leader(cause);
      if (other.isEmpty() && settings.addresses().size() == 1) {
        used.resetConnectBackoff(); // it reconnects by itself, but would take its time
        return;
      }
      leader = other.orElse(null);
      current = null;
      ManagedChannel unused = used.shutdown(); // what is under way there may end by itself
      opened.removeIf(ManagedChannel::isTerminated);
    } finally {
      lock.unlock();
    }
  }

  private ManagedChannel connect() {
    long deadline = System.nanoTime() + settings.get(EventStoreSettings.CONNECT_BOUND).toNanos();
    List<InetSocketAddress> nodes = new ArrayList<>(settings.addresses());
    boolean alone = nodes.size() == 1;
    if (leader != null) {
      nodes.remove(leader);
      nodes.add(0, leader);
      leader = null;
    }
    StatusRuntimeException last = null;
    for (int i = 0; i < nodes.size(); i++) {
      long share = Math.max(1, (deadline - System.nanoTime()) / (nodes.size() - i));
      try {
        return alone ? connectTo(nodes.get(i), share) : connectToLeader(nodes.get(i), share);
      } catch (StatusRuntimeException e) {
        last = e;
      }
    }
    throw new MqException(
        "%s: cannot connect: %s"
            .formatted(settings.endpoint(), last == null ? "no node" : Errors.reason(last)),
        last);
  }

  private ManagedChannel connectTo(InetSocketAddress node, long leftNanos) {
    ManagedChannel channel = open(node);
    try {
      var unused =
          ServerFeaturesGrpc.newBlockingStub(channel)
              .withDeadlineAfter(leftNanos, TimeUnit.NANOSECONDS)
              .getSupportedMethods(Shared.Empty.getDefaultInstance());
    } catch (StatusRuntimeException e) {
      if (!isOld(e)) {
        discard(channel);
        throw e;
      }
    }
    return channel;
  }

  /** Servers before 21.6 answer, but do not know the question. */
  private static boolean isOld(StatusRuntimeException e) {
    return switch (Errors.code(e)) {
      case UNIMPLEMENTED, NOT_FOUND -> true;
      default -> false;
    };
  }

  /** Asks a node who leads. */
  private ManagedChannel connectToLeader(InetSocketAddress node, long leftNanos) {
    ManagedChannel channel = open(node);
    Optional<InetSocketAddress> leading;
    try {
      leading =
          GossipGrpc.newBlockingStub(channel)
              .withDeadlineAfter(leftNanos / 2, TimeUnit.NANOSECONDS)
              .read(Shared.Empty.getDefaultInstance())
              .getMembersList()
              .stream()
              .filter(m -> m.getIsAlive() && m.getState() == MemberInfo.VNodeState.Leader)
              .map(m -> m.getHttpEndPoint())
              .map(end -> new InetSocketAddress(end.getAddress(), end.getPort()))
              .findFirst();
    } catch (StatusRuntimeException e) {
      discard(channel);
      throw e;
    }
    if (leading.isPresent() && leading.get().equals(node)) {
      return channel;
    }
    discard(channel);
    if (leading.isEmpty()) {
      throw Status.UNAVAILABLE
          .withDescription(Errors.text(node) + " knows no leader")
          .asRuntimeException();
    }
    return connectTo(leading.get(), leftNanos / 2);
  }

  private ManagedChannel open(InetSocketAddress node) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(node)
            .directExecutor() // what runs on arrival never blocks
            .disableRetry() // an append is sent again here, where its deadline is known
            .keepAliveTime(SILENCE.toNanos(), TimeUnit.NANOSECONDS)
            .keepAliveTimeout(SILENCE.toNanos(), TimeUnit.NANOSECONDS)
            .maxInboundMessageSize(LARGEST_INBOUND_BYTES)
            .intercept(headers);
    if (settings.tls()) {
      encrypt(builder);
    } else {
      builder.usePlaintext();
    }
    ManagedChannel channel = builder.build();
    opened.add(channel);
    return channel;
  }

  private void encrypt(NettyChannelBuilder builder) {
    Optional<String> file = settings.caFile();
    try {
      SslContextBuilder ssl = GrpcSslContexts.forClient();
      file.map(File::new).ifPresent(ssl::trustManager);
      builder.sslContext(ssl.build());
    } catch (SSLException | IllegalArgumentException e) {
      throw new MqException(
          settings.endpoint()
              + ": cannot encrypt the connection, tls.ca.file is "
              + file.orElse("system"),
          e);
    }
  }

  private void discard(ManagedChannel channel) {
    ManagedChannel unused = channel.shutdownNow();
    opened.remove(channel);
  }

  /**
   * Sends a request that may be repeated, until it is answered or a quarter of {@code call.bound}
   * is over.
   *
   * @param what for the error's sentence, for example {@code "create queue q"}
   * @throws StatusRuntimeException if the server refuses, and repeating will not help
   * @throws MqException if the server does not answer
   */
  <T> T call(String what, Request<T> request) {
    long deadline = System.nanoTime() + settings.stepBound().toNanos();
    while (true) {
      ManagedChannel channel;
      try {
        channel = channel();
      } catch (MqException e) {
        if (isOver(deadline) || !pause()) {
          throw e;
        }
        continue;
      }
      try {
        return request.send(channel, Math.max(1, deadline - System.nanoTime()));
      } catch (StatusRuntimeException e) {
        failed(channel, e);
        if (Errors.isRefusal(e) && !Errors.isPassing(e)) {
          throw e;
        }
        if (!Errors.isPassing(e) || isOver(deadline) || !pause()) {
          throw failure(what, e);
        }
      }
    }
  }

  /** Whether there is no time for one more attempt. */
  private static boolean isOver(long deadlineNanos) {
    return deadlineNanos - System.nanoTime() <= PAUSE.toNanos();
  }

  /** One sentence that names the endpoint. */
  MqException failure(String what, Throwable cause) {
    return new MqException(
        "%s: cannot %s: %s".formatted(settings.endpoint(), what, Errors.reason(cause)), cause);
  }

  /** Returns whether it was not interrupted, and this is still open. */
  private boolean pause() {
    try {
      return !closing.await(PAUSE.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Ends every call that is under way. Idempotent. */
  @Override
  public void close() {
    closing.countDown();
    List<ManagedChannel> left;
    lock.lock();
    try {
      left = List.copyOf(opened);
      current = null;
    } finally {
      lock.unlock();
    }
    left.forEach(ManagedChannel::shutdownNow);
    long deadline = System.nanoTime() + settings.stepBound().toNanos();
    for (ManagedChannel channel : left) {
      awaitTermination(channel, deadline);
    }
  }

  private static void awaitTermination(ManagedChannel channel, long deadlineNanos) {
    try {
      // Where it takes longer, it goes on to end by itself.
      boolean unused =
          channel.awaitTermination(
              Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
