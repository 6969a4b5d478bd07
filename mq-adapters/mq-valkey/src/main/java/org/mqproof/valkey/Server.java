package org.mqproof.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.Promise;
import org.mqproof.support.Retries;
import org.mqproof.support.Tls;
import org.mqproof.valkey.ValkeySettings.Confirm;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.IOUtils;

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

  private final ValkeySettings settings;
  private final List<HostAndPort> addresses;
  private final BlockingCalls calls;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private volatile int first; // of the addresses to ask
  private volatile boolean closed;

  /** Connects to nothing yet. */
  Server(ValkeySettings settings) {
    this.settings = settings;
    addresses = settings.addresses().stream().map(HostAndPort::from).toList();
    calls =
        new BlockingCalls(
            "mqproof-valkey", settings.endpoint(), Errors::reason, settings.callBound());
  }

  /** With the password as its file has it now. */
  private JedisClientConfig config() {
    return DefaultJedisClientConfig.builder()
        .resp2()
        .clientName("mqproof")
        .user(orNull(settings.get(ValkeySettings.USERNAME)))
        .password(orNull(settings.get(ValkeySettings.PASSWORD)))
        .build();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
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
      done = !connection.isBroken();
      return result;
    } catch (JedisException e) {
      if (Errors.isNoPrimary(e)) {
        connection.setBroken();
      }
      throw e;
    } finally {
      if (done) {
        idle.addFirst(connection);
      } else {
        IOUtils.closeQuietly(connection); // one that is broken may not even take its last bytes
      }
      if (closed || connection.isBroken()) {
        closeIdle(); // they go to the same node
      }
    }
  }

  private void closeIdle() {
    for (Connection one = idle.pollFirst(); one != null; one = idle.pollFirst()) {
      IOUtils.closeQuietly(one);
    }
  }

  /** Asks every address in turn until one is the primary, as long as the bound allows. */
  private Connection connect() {
    long deadline = System.nanoTime() + settings.get(ValkeySettings.CONNECT_BOUND).toNanos();
    String[] reasons = new String[addresses.size()];
    int number = first;
    for (int tried = 1; ; tried++) {
      HostAndPort address = addresses.get(number);
      try {
        Connection found = connect(address);
        first = number;
        return found;
      } catch (JedisException e) {
        if (Errors.isRefused(e)) {
          throw e;
        }
        reasons[number] = address + ": " + Errors.reason(e);
        number = (number + 1) % reasons.length;
        first = number; // others need not wait for one that hangs
        if (tried % reasons.length == 0 && !Retries.hasTimeLeft(deadline)) {
          throw new MqException(String.join("; ", reasons), e);
        }
      }
    }
  }

  private Connection connect(HostAndPort address) {
    Connection connection = new Connection(() -> socket(address), config());
    try {
      for (Script script : Script.values()) {
        script.load(connection);
      }
      connection.sendCommand(Command.INFO, "replication", "memory", "persistence");
      List<Object> answers = connection.getMany(Script.values().length + 1);
      for (Object answer : answers) {
        if (answer instanceof JedisDataException e) {
          throw e;
        }
      }
      requirePrimary(
          address,
          connection,
          ServerInfo.of(new String((byte[]) answers.get(answers.size() - 1), UTF_8)));
      connection.setSoTimeout(Math.toIntExact(settings.stepBound().toMillis()));
      return connection;
    } catch (RuntimeException e) {
      IOUtils.closeQuietly(connection);
      throw e;
    }
  }

  private Socket socket(HostAndPort address) {
    int millis =
        Math.toIntExact(
            Math.max(1, settings.get(ValkeySettings.CONNECT_BOUND).toMillis() / addresses.size()));
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(millis);
      socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), millis);
      Optional<Tls> tls = settings.tls();
      if (tls.isEmpty()) {
        return socket;
      }
      SSLSocket encrypted = tls.get().over(socket, address.getHost(), address.getPort());
      encrypted.startHandshake();
      return encrypted;
    } catch (IOException e) {
      IOUtils.closeQuietly(socket); // TLS would say goodbye, and wait for the answer again
      throw new JedisConnectionException(e.getMessage(), e);
    }
  }

  private void requirePrimary(
      HostAndPort address, Connection connection, Map<String, String> info) {
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
          settings.get(ValkeySettings.CONFIRM) == Confirm.WAITAOF
              ? ServerInfo.brokenOnDisk(info, appendfsync(connection))
              : ServerInfo.broken(info),
          ValkeySettings.CHECK_SERVER.key());
    }
  }

  private static String appendfsync(Connection connection) {
    connection.sendCommand(Command.CONFIG, "GET", "appendfsync");
    List<byte[]> pair = connection.getBinaryMultiBulkReply();
    return new String(pair.get(1), UTF_8);
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
  @Nullable RuntimeException whyNotConfirmed(Object answer) {
    if (answer instanceof JedisDataException e) {
      return e;
    }
    List<?> both = answer instanceof List<?> waitaof ? waitaof : List.of(1L, answer);
    int least = settings.get(ValkeySettings.WAIT_REPLICAS);
    if ((Long) both.get(0) < 1) {
      return new MqException("the primary has not written it to its disk in time");
    }
    return (Long) both.get(1) >= least
        ? null
        : new MqException(
            "%s replicas have it in time, fewer than wait.replicas, %s"
                .formatted(both.get(1), least));
  }

  /**
   * Makes one request, and waits until what it changes is confirmed.
   *
   * @return the answer to the request
   */
  Object confirmed(Consumer<Connection> request) {
    return use(
        connection -> {
          request.accept(connection);
          sendWait(connection);
          List<Object> answers = connection.getMany(2);
          RuntimeException why =
              answers.get(0) instanceof JedisDataException e ? e : whyNotConfirmed(answers.get(1));
          if (why != null) {
            throw why;
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
