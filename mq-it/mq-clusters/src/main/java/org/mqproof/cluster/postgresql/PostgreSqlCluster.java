package org.mqproof.cluster.postgresql;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.ProcessCluster;
import org.mqproof.cluster.security.RandomHex;

/**
 * A PostgreSQL primary with two standbys, each node a child process, and whoever promotes a standby
 * when the primary is gone: see {@link PostgreSqlClusterProvider}. Thread-safe, as {@link Cluster}
 * says.
 */
final class PostgreSqlCluster extends ProcessCluster {

  private static final Duration LEADER_BOUND = Duration.ofSeconds(20);
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** For a primary that was started again to apply its own log. */
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final int COPY_SECONDS = 60;

  private final String password;
  private final PostgreSqlProbe probe;

  /** Held while the roles of nodes are looked at or changed. */
  private final ReentrantLock roles = new ReentrantLock();

  /** The primary, or who is to become it. */
  private volatile int primary = 1;

  private volatile boolean promoted = true;
  private long silentFromNanos = System.nanoTime() + START_NANOS; // guarded by roles

  /** Nodes that were the primary, and whose data may differ from that of the one there is now. */
  private final Set<Integer> deposed = new TreeSet<>(); // guarded by roles

  /** Standbys that are still to be told whom to follow. */
  private final Set<Integer> astray = new TreeSet<>(); // guarded by roles

  private PostgreSqlCluster(String version, String password, ClusterHome home) {
    super("PostgreSQL", version, PostgreSqlNodes.addresses(home), home);
    this.password = password;
    probe = new PostgreSqlProbe(home, password);
  }

  static PostgreSqlCluster start(String version, Tuning tuning, Consumer<String> progress) {
    Path jar = PostgreSqlInstallation.resolve(version, progress);
    progress.accept("starting PostgreSQL " + version);
    return start(
        "postgresql",
        home -> {
          String password = RandomHex.of(16);
          PostgreSqlNodes.addTo(home, jar, password, tuning);
          return new PostgreSqlCluster(version, password, home);
        });
  }

  @Override
  protected void form() {
    heal();
    Thread operator = new Thread(this::operate, "mqproof-postgresql-operator");
    operator.setDaemon(true);
    operator.start();
  }

  @Override
  public String system() {
    return "postgresql";
  }

  @Override
  protected Map<String, String> plainSettings() {
    return Map.of(
        "addresses",
        PostgreSqlNodes.addresses(home),
        "username",
        PostgreSqlNodes.USER,
        "password",
        password);
  }

  /** Every queue has the same one: the primary. */
  @Override
  public int leader(String queue) {
    return awaitOne(
        "primary",
        LEADER_BOUND,
        () -> {
          int node = primary;
          return promoted && probe.isPrimary(node) ? OptionalInt.of(node) : OptionalInt.empty();
        });
  }

  // What an operator's tool does.

  private void operate() {
    try {
      while (true) {
        home.pauseBetweenLooks();
        roles.lock();
        try {
          look();
        } finally {
          roles.unlock();
        }
      }
    } catch (InterruptedException | IllegalStateException closed) {
      return; // the cluster is closed
    }
  }

  private void look() {
    try {
      OptionalLong standbys = probe.standbysOf(primary);
      long now = System.nanoTime();
      if (standbys.isPresent()) {
        promoted = true;
        silentFromNanos = now + SILENCE_NANOS;
        leadHome();
      } else if (!promoted) {
        probe.promote(primary); // until it is
      } else if (!home.node(primary).isAlive() || now - silentFromNanos > 0) {
        failOver();
      }
    } catch (SQLException | IOException e) {
      return; // somebody died or starts: the next look sees
    }
  }

  /** With the former primary's last word not heard, only both others together know everything. */
  private void failOver() throws SQLException {
    List<Integer> others = new ArrayList<>();
    for (int node = 1; node <= nodes(); node++) {
      if (node != primary) {
        if (deposed.contains(node) || !home.node(node).isRunning()) {
          return;
        }
        others.add(node);
      }
    }
    for (int node : others) {
      if (!probe.stopReceiving(node)) {
        return; // not yet
      }
    }
    int furthest = others.get(0);
    long most = -1;
    for (int node : others) {
      long received = probe.received(node);
      if (received > most) {
        furthest = node;
        most = received;
      }
    }
    deposed.add(primary);
    astray.addAll(others);
    astray.remove(furthest);
    promoted = false;
    primary = furthest;
    probe.promote(furthest);
  }

  /** Has everybody follow the primary. */
  private void leadHome() throws SQLException, IOException {
    for (int node : List.copyOf(astray)) {
      if (home.node(node).isRunning()) {
        probe.follow(node, primary);
        astray.remove(node);
      }
    }
    for (int node : List.copyOf(deposed)) {
      if (home.node(node).isRunning()) {
        home.node(node).killIfAlive();
        copyPrimaryTo(node);
        home.start(home.node(node));
      }
    }
  }

  /** So that a former primary that is started again is a standby from the beginning. */
  @Override
  protected void startOthers() {
    roles.lock();
    try {
      silentFromNanos = System.nanoTime() + START_NANOS;
      for (int node : List.copyOf(deposed)) {
        if (!home.node(node).isAlive() && probe.isPrimary(primary)) {
          copyPrimaryTo(node);
        }
      }
    } catch (SQLException | IOException e) {
      throw new ClusterException(
          "the data of the primary, node %d, cannot be copied".formatted(primary), e);
    } finally {
      roles.unlock();
    }
  }

  /** A backup as the documentation has it for who copies files: begin, copy, end, label. */
  private void copyPrimaryTo(int node) throws SQLException, IOException {
    try (Connection connection = probe.connect(primary, COPY_SECONDS);
        Statement statement = connection.createStatement()) {
      boolean unused = statement.execute("SELECT pg_backup_start('mqproof', true)");
      PostgreSqlNodes.copyFrom(home, primary, node);
      try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        unused = row.next();
        PostgreSqlNodes.write(
            PostgreSqlNodes.database(home, node).resolve("backup_label"), row.getString(1));
      }
    }
    PostgreSqlNodes.follow(home, node, primary, password);
    PostgreSqlNodes.settle(home, node);
    deposed.remove(node);
  }

  /** A node that is made a standby again is dead for a moment. */
  @Override
  protected void awaitReady(List<NodeProcess> started) {
    await("become ready", this::notReady);
  }

  @Override
  protected List<String> notReady() {
    roles.lock();
    try {
      if (!deposed.isEmpty() || !astray.isEmpty()) {
        return List.of("nodes %s do not follow node %d yet".formatted(deposed, primary));
      }
      for (int node = 1; node <= nodes(); node++) {
        if (!home.node(node).isAlive()) {
          throw died(node);
        }
      }
      return probe.notReady(primary);
    } finally {
      roles.unlock();
    }
  }
}
