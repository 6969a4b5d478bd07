package org.mqproof.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.Causes;
import org.mqproof.support.TlsFailure;

/**
 * Finds the node that serves: tries the one that served last, then the others, again and again
 * until the time is over. Thread-safe.
 */
final class Nodes {

  private static final long BETWEEN_ROUNDS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Duration SHORTEST_ATTEMPT = Duration.ofMillis(100);

  private final JmsBroker broker;
  private final JmsSettings settings;
  private final List<String> addresses;
  private volatile int lastServing;

  Nodes(JmsBroker broker, JmsSettings settings) {
    this.broker = broker;
    this.settings = settings;
    addresses = settings.addresses();
  }

  /**
   * Connects.
   *
   * @throws MqException if no node serves within the time, a node that answers does not let this
   *     client in, or the thread was interrupted
   */
  Connection connect(JmsBroker.Role role, Duration time) {
    long deadline = System.nanoTime() + time.toNanos();
    // So short that a node that hangs leaves time for the others.
    Duration attempt = max(SHORTEST_ATTEMPT, time.dividedBy(addresses.size() + 1L));
    Exception last = new TimeoutException("there was no time to try");
    Exception refusal = null;
    int first = lastServing;
    for (int i = 0; System.nanoTime() - deadline < 0; i++) {
      int index = (first + i) % addresses.size();
      try {
        long left = Math.max(1, deadline - System.nanoTime());
        Connection connection =
            attempt(addresses.get(index), role, Math.min(left, attempt.toNanos()));
        lastServing = index;
        return connection;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        last = e;
        break;
      } catch (ExecutionException e) {
        last = e.getCause() instanceof Exception thrown ? thrown : e;
        refusal = isRefusal(last) ? last : refusal;
      } catch (TimeoutException e) {
        last = e;
      }
      if ((i + 1) % addresses.size() == 0) {
        if (refusal != null) {
          break; // the same password or certificate would be refused again
        }
        LockSupport.parkNanos(Math.min(BETWEEN_ROUNDS_NANOS, deadline - System.nanoTime()));
      }
    }
    Exception cause = refusal == null ? last : refusal;
    throw new MqException(
        "%s: no node serves: %s".formatted(settings.endpoint(), deepest(cause)), cause);
  }

  /** Whether a node answered, and wants other clients than this one. */
  private static boolean isRefusal(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof JMSSecurityException || cause instanceof SecurityException) {
        return true;
      }
    }
    return TlsFailure.explain(failure).isPresent();
  }

  /** One attempt, in a thread of its own because clients wait in places that know no bound. */
  private Connection attempt(String address, JmsBroker.Role role, long nanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Connection> connected = new CompletableFuture<>();
    Thread thread =
        new Thread(() -> connect(address, role, connected), "mqproof-jms-connect-" + address);
    thread.setDaemon(true);
    thread.start();
    try {
      return connected.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      TimeoutException late =
          new TimeoutException(
              address + " did not answer in " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
      late.initCause(e);
      if (!connected.completeExceptionally(late)) {
        return connected.get(); // just in time
      }
      thread.interrupt();
      throw late;
    } catch (InterruptedException e) {
      if (!connected.completeExceptionally(e)) {
        CompletableFuture<Void> unused = connected.thenAccept(this::close);
      }
      thread.interrupt();
      throw e;
    }
  }

  private void connect(
      String address, JmsBroker.Role role, CompletableFuture<Connection> connected) {
    try {
      Connection connection = broker.connect(address, role);
      if (!connected.complete(connection)) {
        close(connection); // nobody waits any more
      }
    } catch (JMSException | RuntimeException e) {
      connected.completeExceptionally(e);
    }
  }

  /** Closes a connection that may be broken already; then there is nothing more to be done. */
  @Nullable Exception close(Connection connection) {
    try {
      broker.disconnect(connection);
      return null;
    } catch (JMSException | RuntimeException e) {
      return e;
    }
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  /** What was thrown first: what is around it repeats it, with an address and all its options. */
  private static String deepest(Throwable failure) {
    Throwable telling = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = cause.getMessage();
      telling = message == null || message.isBlank() ? telling : cause;
    }
    return Causes.reason(telling);
  }
}
