package org.mqproof.nats;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.Causes;

/**
 * The connection to one of the servers, and the threads in which it is used. A lost connection is
 * replaced with the next request, and what was under way on it has failed by then: the library
 * itself does not reconnect, because it would keep requests and send them later.
 *
 * <p>Thread-safe.
 */
final class Server implements AutoCloseable {

  private static final Duration LEAST_PING_INTERVAL = Duration.ofMillis(500);

  private final NatsSettings settings;
  private final BlockingCalls calls;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Connection current;
  private @Nullable IOException failure;
  private long failedNanos;
  private volatile String lastError = "";
  private boolean closed;

  /** Connects to nothing yet. */
  Server(NatsSettings settings) {
    this.settings = settings;
    calls =
        new BlockingCalls(
            "mqproof-nats", settings.endpoint(), Errors::reason, settings.callBound());
  }

  NatsSettings settings() {
    return settings;
  }

  BlockingCalls calls() {
    return calls;
  }

  /**
   * A connection that was up a moment ago.
   *
   * @throws IOException if none of the servers lets us in
   */
  Connection connection() throws IOException, InterruptedException {
    long asked = System.nanoTime();
    lock.lockInterruptibly();
    try {
      if (closed) {
        throw new IOException("closed");
      }
      Connection found = current;
      if (found != null && found.getStatus() == Connection.Status.CONNECTED) {
        return found;
      }
      IOException known = failure;
      if (known != null && failedNanos - asked >= 0) {
        throw known; // of the attempt that this thread has waited for
      }
      if (found != null) {
        current = null;
        found.close();
      }
      try {
        current = connect();
        failure = null;
        return current;
      } catch (IOException e) {
        failure = e;
        failedNanos = System.nanoTime();
        throw e;
      }
    } finally {
      lock.unlock();
    }
  }

  private Connection connect() throws IOException, InterruptedException {
    Seen seen = new Seen();
    try {
      return Nats.connect(options(seen));
    } catch (IOException e) {
      Exception last = seen.last;
      throw last == null ? e : new IOException(Errors.reason(e) + ": " + Errors.reason(last), last);
    }
  }

  private Options options(Seen seen) {
    List<String> servers = settings.servers();
    Duration connect = settings.get(NatsSettings.CONNECT_BOUND);
    Duration ping = settings.stepBound().dividedBy(3);
    Map<String, String> own = settings.get(NatsSettings.CLIENT);
    Options.Builder options =
        NatsOptions.builder(own)
            .servers(servers.stream().map(server -> "nats://" + server).toArray(String[]::new))
            .connectionName(own.getOrDefault(Options.PROP_CONNECTION_NAME, "mqproof"))
            .connectionTimeout(connect.dividedBy(servers.size()))
            .pingInterval(ping.compareTo(LEAST_PING_INTERVAL) < 0 ? LEAST_PING_INTERVAL : ping)
            .maxPingsOut(2)
            .noReconnect()
            .reconnectBufferSize(0) // what cannot be sent at once fails
            .ignoreDiscoveredServers()
            .hostnameResolveMode(
                Options.HostnameResolveMode.HappyEyeballs) // keeps the name, for TLS
            .requestCleanupInterval(Duration.ofSeconds(1))
            .maxMessagesInOutgoingQueue(-1) // the senders' windows are the limit
            .reportNoResponders()
            .errorListener(seen);
    if (!own.containsKey(Options.PROP_FORCE_FLUSH_ON_REQUEST)) {
      options.dontForceFlushOnRequest(); // requests go out together
    }
    String username = settings.get(NatsSettings.USERNAME);
    String token = settings.get(NatsSettings.TOKEN);
    if (!username.isEmpty()) {
      options.userInfo(username.toCharArray(), settings.get(NatsSettings.PASSWORD).toCharArray());
    } else if (!token.isEmpty()) {
      options.token(token.toCharArray());
    }
    settings.tls().ifPresent(tls -> options.sslContext(HostCheckingTls.context(tls)));
    return options.build();
  }

  /** The last failure while connecting, which the library tells nobody else. Logs nothing. */
  private final class Seen implements ErrorListener {

    private volatile @Nullable Exception last;

    @Override
    public void errorOccurred(Connection connection, String error) {
      lastError = error;
    }

    @Override
    public void exceptionOccurred(Connection connection, Exception exception) {
      last = exception;
    }
  }

  /**
   * Why a request got no answer: where a right is missing, the server says so of the connection,
   * and does not answer.
   *
   * @param failure as the library saw it
   * @param subject a word of the subject that was asked for
   */
  IOException explained(IOException failure, String subject) {
    return isRefused(subject) ? new IOException(lastError, failure) : failure;
  }

  /** Whether the server's last word was that a right is missing, on a subject with this word. */
  boolean isRefused(String subject) {
    String error = lastError;
    return error.startsWith("Permissions Violation")
        && List.of(error.split("[.\"]")).contains(subject);
  }

  /** What makes, finds and deletes streams and consumers. */
  JetStreamManagement management() throws IOException, InterruptedException {
    return management(settings.stepBound());
  }

  /** The same with another longest wait for an answer. */
  JetStreamManagement management(Duration patience) throws IOException, InterruptedException {
    return connection()
        .jetStreamManagement(JetStreamOptions.builder().requestTimeout(patience).build());
  }

  /**
   * Makes requests that are all under way at the same time, and waits for their answers.
   *
   * @param requests made one after the other
   * @param deadlineNanos what has no answer by then has failed
   * @return one future per request, in their order, each of which has ended
   */
  List<CompletableFuture<Message>> ask(List<Message> requests, long deadlineNanos) {
    List<CompletableFuture<Message>> answers = new ArrayList<>(requests.size());
    Duration timeout = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
    try {
      Connection connection = connection();
      requests.forEach(request -> answers.add(ask(connection, request, timeout)));
    } catch (IOException | InterruptedException e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      NotSent notSent = new NotSent(e);
      requests.forEach(request -> answers.add(CompletableFuture.failedFuture(notSent)));
    }
    for (CompletableFuture<Message> answer : answers) {
      if (!BoundedWaits.await(answer, deadlineNanos)) {
        boolean unused = answer.cancel(false);
      }
    }
    return answers;
  }

  private static CompletableFuture<Message> ask(
      Connection connection, Message request, Duration timeout) {
    try {
      return connection.requestWithTimeout(request, timeout);
    } catch (IllegalStateException | IllegalArgumentException e) { // lost, or too large for it
      return CompletableFuture.failedFuture(new NotSent(e));
    }
  }

  /** The library took no request: nothing of it will ever be sent. */
  static final class NotSent extends Exception {

    private static final long serialVersionUID = 1L;

    NotSent(Exception cause) {
      super(Causes.reason(cause), cause);
    }
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    calls.close();
    lock.lock();
    try {
      closed = true;
      if (current != null) {
        current.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
