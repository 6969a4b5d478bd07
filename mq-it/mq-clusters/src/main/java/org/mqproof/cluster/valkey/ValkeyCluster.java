package org.mqproof.cluster.valkey;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.PromotingCluster;
import org.mqproof.cluster.security.RandomHex;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Valkey primary with two replicas, each node a child process, and whoever promotes a replica
 * when the primary is gone: see {@link ValkeyClusterProvider}. Thread-safe, as {@link Cluster}
 * says.
 */
final class ValkeyCluster extends PromotingCluster {

  private final ValkeyNodes configuration;
  private final ValkeyProbe probe;

  /** Nodes that were not yet in sync with this primary, and whose data may differ from its own. */
  private final Set<Integer> others = new TreeSet<>(); // guarded by roles

  private ValkeyCluster(String version, ValkeyNodes configuration, ClusterHome home) {
    super("Valkey", version, home.addresses(ValkeyNodes.COUNT, home::port), home);
    this.configuration = configuration;
    probe = new ValkeyProbe(home, configuration.password());
  }

  static ValkeyCluster start(Path program, String version, String fsync) {
    return start(
        "valkey",
        ValkeyNodes.COUNT,
        home -> {
          ValkeyNodes configuration = new ValkeyNodes(home, RandomHex.of(16), fsync);
          configuration.add(program);
          return new ValkeyCluster(version, configuration, home);
        });
  }

  @Override
  public String system() {
    return "valkey";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "addresses",
        home.addresses(ValkeyNodes.COUNT, home::port),
        "username",
        ValkeyNodes.USER,
        "password",
        configuration.password());
  }

  @Override
  protected Map<String, String> securedSettings(Access access) {
    return Map.of(
        "addresses",
        home.addresses(ValkeyNodes.COUNT, configuration::tlsPort),
        "username",
        access == Access.LEAST ? Access.LEAST_USER : ValkeyNodes.USER);
  }

  @Override
  protected boolean leads(int node) {
    return probe.isPrimary(node);
  }

  // What an operator's tool does.

  @Override
  protected boolean look() {
    try {
      if (probe.isPrimary(primary)) {
        heardOfPrimary();
        leadHome();
        return others.isEmpty();
      }
      if (isPrimaryLost()) {
        failOver();
      }
      return false;
    } catch (JedisException e) {
      return false; // somebody died or starts: the next look sees
    }
  }

  /** With the former primary's last word not heard, only both others together know everything. */
  private void failOver() {
    List<Integer> replicas = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      if (node != primary) {
        if (others.contains(node) || !home.node(node).isRunning()) {
          return;
        }
        replicas.add(node);
      }
    }
    replicas.forEach(probe::stopReceiving);
    int furthest = furthest(replicas, probe::received);
    probe.promote(furthest);
    replicas.remove((Integer) furthest);
    others.add(primary);
    others.addAll(replicas);
    primary = furthest;
    heardOfPrimary();
  }

  /** Has everybody follow the primary. */
  private void leadHome() {
    for (int node = 1; node <= nodes(); node++) {
      if (node != primary && home.node(node).isRunning()) {
        probe.follow(node, primary);
        if (others.contains(node) && probe.isInSync(node, primary)) {
          others.remove(node);
        }
      }
    }
  }

  /** So that a dead node begins as a replica, unless it is still the primary. */
  @Override
  protected void startOthers() {
    roles.lock();
    try {
      if (!home.nodes().stream().allMatch(node -> node.isAlive())) {
        primaryStarts();
      }
      for (int node = 1; node <= nodes(); node++) {
        if (!home.node(node).isAlive()) {
          configuration.configure(node, primary);
        }
      }
    } catch (IOException e) {
      throw new ClusterException("the configuration of a node cannot be written", e);
    } finally {
      roles.unlock();
    }
  }

  @Override
  protected List<String> notReady() {
    roles.lock();
    try {
      return others.isEmpty()
          ? probe.notReady(primary)
          : List.of("nodes %s are not in sync with node %d yet".formatted(others, primary));
    } finally {
      roles.unlock();
    }
  }
}
