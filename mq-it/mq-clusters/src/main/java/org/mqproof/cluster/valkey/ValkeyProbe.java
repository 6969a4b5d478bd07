package org.mqproof.cluster.valkey;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.mqproof.cluster.process.ClusterHome;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Asks the nodes of a Valkey cluster how they are, and tells them what to be, with new connections
 * each time. Thread-safe: no state but the addresses. A call ends within 10 s.
 */
final class ValkeyProbe {

  private static final int CONNECT_MILLIS = 1_000;
  private static final int ANSWER_MILLIS = 2_000;
  private static final int WAIT_MILLIS = 1_000;

  private final ClusterHome home;
  private final String password;

  ValkeyProbe(ClusterHome home, String password) {
    this.home = home;
    this.password = password;
  }

  private Connection connect(int node) {
    return new Connection(
        new HostAndPort(home.host(node), home.port(node)),
        DefaultJedisClientConfig.builder()
            .resp2()
            .connectionTimeoutMillis(CONNECT_MILLIS)
            .socketTimeoutMillis(ANSWER_MILLIS)
            .user(ValkeyNodes.USER)
            .password(password)
            .build());
  }

  private void tell(int node, Command command, String... arguments) {
    try (Connection connection = connect(node)) {
      connection.sendCommand(command, arguments);
      Object unused = connection.getOne();
    }
  }

  /** What a node says of its replication. */
  private Map<String, String> replication(int node) {
    try (Connection connection = connect(node)) {
      connection.sendCommand(Command.INFO, "replication");
      Map<String, String> info = new HashMap<>();
      new String((byte[]) connection.getOne(), UTF_8)
          .lines()
          .map(line -> line.split(":", 2))
          .filter(pair -> pair.length == 2)
          .forEach(pair -> info.put(pair[0], pair[1]));
      return info;
    }
  }

  boolean isPrimary(int node) {
    try {
      return home.node(node).isRunning() && "master".equals(replication(node).get("role"));
    } catch (JedisException e) {
      return false;
    }
  }

  /** Has a node follow the primary, unless it does. */
  void follow(int node, int primary) {
    String port = Integer.toString(home.port(primary));
    Map<String, String> now = replication(node);
    if (!home.host(primary).equals(now.get("master_host"))
        || !port.equals(now.get("master_port"))) {
      tell(node, Command.REPLICAOF, home.host(primary), port);
    }
  }

  /** Whether a node has what the primary had when it last began to follow it. */
  boolean isInSync(int node, int primary) {
    Map<String, String> now = replication(node);
    return Integer.toString(home.port(primary)).equals(now.get("master_port"))
        && "up".equals(now.get("master_link_status"));
  }

  /** Has a replica receive nothing more: it follows a port where nobody listens. */
  void stopReceiving(int replica) {
    tell(replica, Command.REPLICAOF, home.host(replica), "1");
  }

  /** How much a replica has of the primary's writes, once it receives nothing more. */
  long received(int replica) {
    return Long.parseLong(replication(replica).getOrDefault("slave_repl_offset", "-1"));
  }

  void promote(int replica) {
    tell(replica, Command.REPLICAOF, "NO", "ONE");
  }

  /** What is not as it should be: every other node gets what is written to the primary. */
  List<String> notReady(int primary) {
    List<String> problems = new ArrayList<>();
    try (Connection connection = connect(primary)) {
      connection.sendCommand(Command.SET, "mqproof:ready", "");
      connection.sendCommand(
          Command.WAIT, Integer.toString(ValkeyNodes.COUNT - 1), Integer.toString(WAIT_MILLIS));
      String written = connection.getStatusCodeReply();
      long replicas = connection.getIntegerReply();
      if (replicas < ValkeyNodes.COUNT - 1) {
        problems.add("node %d: %s by %d replicas".formatted(primary, written, replicas));
      }
    } catch (JedisException e) {
      problems.add("node %d: %s".formatted(primary, e.getMessage()));
    }
    return problems;
  }
}
