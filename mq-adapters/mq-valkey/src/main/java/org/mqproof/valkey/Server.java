package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.Promise;
import org.mqproof.valkey.ValkeySettings.Confirm;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Connections to the primary, and the threads in which they are used, one at a time each: WAIT
 * waits for what was written over its own connection. Idle ones are used again, until one is lost.
 *
 * <p>Thread-safe.
 */
final class Server implements AutoCloseable {

  /** Something that is done with one connection. */
  interface Use<T> {
    T with(Connection connection);
  }

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final ValkeySettings settings;
  private final List<HostAndPort> addresses;
  private final JedisClientConfig config;
  private final BlockingCalls calls;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private volatile int first; // of the addresses to ask
  private volatile boolean closed;

  /** Connects to nothing yet. */
  Server(ValkeySettings settings) {
    this.settings = settings;
    addresses = settings.addresses().stream().map(HostAndPort::from).toList();
    DefaultJedisClientConfig.Builder who = DefaultJedisClientConfig.builder().resp2();
    who.clientName("mqproof");
    if (!settings.get(ValkeySettings.USERNAME).isEmpty()) {
      who.user(settings.get(ValkeySettings.USERNAME));
    }
    if (!settings.get(ValkeySettings.PASSWORD).isEmpty()) {
      who.password(settings.get(ValkeySettings.PASSWORD));
    }
    config = who.build();
    calls =
        new BlockingCalls(
            "mqproof-valkey", settings.endpoint(), Errors::reason, settings.callBound());
  }

  ValkeySettings settings() {
    return settings;
  }

  BlockingCalls calls() {
    return calls;
  }

  /**
   * Does something with a connection to the primary. After an error the connection is not used
   * again.
   *
   * @throws JedisException as it was thrown
   * @throws MqException if there is no primary
   */
  <T> T use(Use<T> use) {
    Connection before = idle.pollFirst();
    Connection connection = before == null ? connect() : before;
    boolean done = false;
    try {
      T result = use.with(connection);
      done = true;
      return result;
    } catch (JedisException e) {
      if (Errors.isLost(e)) {
        connection.setBroken();
      }
      throw e;
    } finally {
      if (connection.isBroken()) {
        closeIdle(); // they go to the same node
      }
      if (done && !connection.isBroken() && !closed) {
        idle.addFirst(connection);
      } else {
        connection.close();
      }
      if (closed) {
        closeIdle();
      }
    }
  }

  private void closeIdle() {
    for (Connection one = idle.pollFirst(); one != null; one = idle.pollFirst()) {
      one.close();
    }
  }

  /** Asks every address in turn until one is the primary, as long as the bound allows. */
  private Connection connect() {
    int size = addresses.size();
    Duration bound = settings.get(ValkeySettings.CONNECT_BOUND);
    long deadline = System.nanoTime() + bound.toNanos();
    List<String> reasons = new ArrayList<>();
    int number = first;
    while (true) {
      HostAndPort address = addresses.get(number);
      try {
        Connection found = connect(address, bound.dividedBy(size));
        first = number;
        return found;
      } catch (JedisException e) {
        if (Errors.isRefused(e)) {
          throw e;
        }
        reasons.add("%s: %s".formatted(address, Errors.reason(e)));
        number = (number + 1) % size;
        first = number; // others need not wait for one that hangs
        boolean wasLast = reasons.size() % size == 0;
        if (wasLast ? !hasTimeLeft(deadline) : deadline - System.nanoTime() < 0) {
          int shown = Math.min(size, reasons.size());
          throw new MqException(
              String.join("; ", reasons.subList(reasons.size() - shown, reasons.size())), e);
        }
      }
    }
  }

  private Connection connect(HostAndPort address, Duration bound) {
    int millis = Math.toIntExact(Math.max(1, bound.toMillis()));
    Connection connection = new Connection(() -> socket(address, millis), config);
    boolean done = false;
    try {
      connection.sendCommand(Command.INFO, "replication", "memory", "persistence");
      for (Script script : Script.values()) {
        script.load(connection);
      }
      List<Object> answers = connection.getMany(1 + Script.values().length);
      for (Object answer : answers) {
        if (answer instanceof JedisDataException e) {
          throw e;
        }
      }
      requirePrimary(address, ServerInfo.of(new String((byte[]) answers.get(0), UTF_8)));
      connection.setSoTimeout(Math.toIntExact(settings.stepBound().toMillis()));
      done = true;
      return connection;
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  private Socket socket(HostAndPort address, int millis) {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setKeepAlive(true);
      socket.setSoTimeout(millis);
      socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), millis);
      return settings.tls().isPresent()
          ? settings.tls().get().over(socket, address.getHost(), address.getPort())
          : socket;
    } catch (IOException e) {
      try {
        socket.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw new JedisConnectionException(e.getMessage(), e);
    }
  }

  private void requirePrimary(HostAndPort address, Map<String, String> info) {
    if (!ServerInfo.isPrimary(info)) {
      throw new JedisConnectionException("a replica");
    }
    int least = settings.get(ValkeySettings.WAIT_REPLICAS);
    if (ServerInfo.replicas(info) < least) {
      throw new JedisConnectionException(
          "a primary with %d replicas connected, fewer than wait.replicas, %d"
              .formatted(ServerInfo.replicas(info), least));
    }
    if (settings.get(ValkeySettings.CHECK_SERVER)) {
      Promise.require(
          settings.endpoint(),
          "the primary at " + address,
          ServerInfo.broken(info, settings.get(ValkeySettings.CONFIRM)),
          ValkeySettings.CHECK_SERVER.key());
    }
  }

  /** Whether a request that failed now may succeed after a pause. Pauses if so. */
  static boolean hasTimeLeft(long deadlineNanos) {
    if (deadlineNanos - System.nanoTime() <= PAUSE_NANOS) {
      return false;
    }
    LockSupport.parkNanos(PAUSE_NANOS);
    return !Thread.currentThread().isInterrupted();
  }

  /** Waits for what was written over a connection. One answer follows. */
  void sendWait(Connection connection) {
    String replicas = Integer.toString(settings.get(ValkeySettings.WAIT_REPLICAS));
    String millis = Long.toString(Math.max(1, settings.stepBound().toMillis() * 3 / 4));
    if (settings.get(ValkeySettings.CONFIRM) == Confirm.WAITAOF) {
      connection.sendCommand(Command.WAITAOF, "1", replicas, millis);
    } else {
      connection.sendCommand(Command.WAIT, replicas, millis);
    }
  }

  /** Why the answer to {@link #sendWait} confirms nothing, or null if it confirms. */
  @Nullable Throwable whyNotConfirmed(Object answer) {
    if (answer instanceof JedisDataException e) {
      return e;
    }
    int least = settings.get(ValkeySettings.WAIT_REPLICAS);
    long local = 1;
    Object replicas = answer;
    if (answer instanceof List<?> both) {
      local = (Long) both.get(0);
      replicas = both.get(1);
    }
    if (local >= 1 && (Long) replicas >= least) {
      return null;
    }
    return new MqException(
        local < 1
            ? "the primary has not written it to its disk in time"
            : "%s replicas have it in time, fewer than wait.replicas, %s"
                .formatted(replicas, least));
  }

  /**
   * Makes one change, and waits until it is confirmed.
   *
   * @return the answer to the command
   */
  Object change(Command command, String... arguments) {
    return use(
        connection -> {
          connection.sendCommand(command, arguments);
          sendWait(connection);
          List<Object> answers = connection.getMany(2);
          if (answers.get(0) instanceof JedisDataException e) {
            throw e;
          }
          Throwable why = whyNotConfirmed(answers.get(1));
          if (why != null) {
            throw new MqException(Errors.reason(why), why);
          }
          return answers.get(0);
        });
  }

  /** Closes the connections. Threads that still wait for an answer end with their own bound. */
  @Override
  public void close() {
    calls.close();
    closed = true;
    closeIdle();
  }
}
