package org.mqproof.cluster.postgresql;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.PromotingCluster;
import org.mqproof.cluster.security.RandomHex;

/**
 * A PostgreSQL primary with two standbys, each node a child process, and whoever promotes a standby
 * when the primary is gone: see {@link PostgreSqlClusterProvider}. Thread-safe, as {@link Cluster}
 * says.
 */
final class PostgreSqlCluster extends PromotingCluster {

  private static final int COPY_SECONDS = 60;

  private final String password;
  private final PostgreSqlProbe probe;

  private volatile boolean promoted = true;

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

  /** By certificate the same user is known. */
  @Override
  protected Map<String, String> securedSettings(Access access) {
    return switch (access) {
      case CERTIFICATE -> Map.of();
      case LEAST -> Map.of("username", Access.LEAST_USER);
      default -> Map.of("username", PostgreSqlNodes.SECURED_USER);
    };
  }

  @Override
  protected boolean leads(int node) {
    return promoted && probe.isPrimary(node);
  }

  // What an operator's tool does.

  @Override
  protected boolean look() {
    try {
      if (probe.isPrimary(primary)) {
        promoted = true;
        heardOfPrimary();
        leadHome();
        return astray.isEmpty() && deposed.isEmpty();
      }
      if (!promoted) {
        probe.promote(primary); // until it is
      } else if (isPrimaryLost()) {
        failOver();
      }
      return false;
    } catch (SQLException | IOException e) {
      return false; // somebody died or starts: the next look sees
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
    int furthest = furthest(others, probe::received);
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
      primaryStarts();
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
