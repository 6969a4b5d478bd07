package org.mqproof.cluster.postgresql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import org.mqproof.cluster.process.ClusterHome;

/**
 * Asks the nodes of a PostgreSQL cluster how they are, and tells them what to be, with new
 * connections each time. Thread-safe: no state but the addresses. A call ends within 10 s, but for
 * those that say otherwise.
 */
final class PostgreSqlProbe {

  private static final int CONNECT_SECONDS = 1;
  private static final int ANSWER_SECONDS = 2;
  private static final int PROMOTE_SECONDS = 8;

  private final ClusterHome home;
  private final String password;

  PostgreSqlProbe(ClusterHome home, String password) {
    this.home = home;
    this.password = password;
  }

  /**
   * Connects to one node.
   *
   * @param answerSeconds how long each answer may take
   */
  Connection connect(int node, int answerSeconds) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", PostgreSqlNodes.USER);
    properties.setProperty("password", password);
    properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
    properties.setProperty("socketTimeout", Integer.toString(answerSeconds));
    properties.setProperty("sslmode", "disable");
    properties.setProperty("gssEncMode", "disable");
    properties.setProperty("options", "-c synchronous_commit=local");
    return DriverManager.getConnection(
        "jdbc:postgresql://%s/postgres".formatted(PostgreSqlNodes.address(home, node)), properties);
  }

  private interface Reading<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> T ask(int node, int answerSeconds, String question, Reading<T> reading)
      throws SQLException {
    try (Connection connection = connect(node, answerSeconds);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(question)) {
      if (!row.next()) {
        throw new SQLException("no answer to " + question);
      }
      return reading.read(row);
    }
  }

  private void tell(int node, int answerSeconds, List<String> orders) throws SQLException {
    try (Connection connection = connect(node, answerSeconds);
        Statement statement = connection.createStatement()) {
      for (String order : orders) {
        boolean unused = statement.execute(order);
      }
    }
  }

  /**
   * How many standbys a primary feeds.
   *
   * @return empty if the node does not answer, or is no primary
   */
  OptionalLong standbysOf(int node) {
    if (!home.node(node).isRunning()) {
      return OptionalLong.empty();
    }
    try {
      return ask(
          node,
          ANSWER_SECONDS,
          "SELECT NOT pg_is_in_recovery(),"
              + " (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming')",
          row -> row.getBoolean(1) ? OptionalLong.of(row.getLong(2)) : OptionalLong.empty());
    } catch (SQLException e) {
      return OptionalLong.empty();
    }
  }

  boolean isPrimary(int node) {
    return standbysOf(node).isPresent();
  }

  /**
   * Has a standby receive nothing more.
   *
   * @return whether it does not, and has also applied all that it had received
   */
  boolean stopReceiving(int standby) throws SQLException {
    setSource(standby, "");
    return ask(
        standby,
        ANSWER_SECONDS,
        "SELECT (SELECT count(*) = 0 FROM pg_stat_wal_receiver)"
            + " AND (SELECT bool_and(wait_event = 'RecoveryRetrieveRetryInterval')"
            + " FROM pg_stat_activity WHERE backend_type = 'startup')",
        row -> row.getBoolean(1));
  }

  /**
   * How much a standby has of the primary's log, once it receives nothing more. What it has
   * received it does not know any more after a restart; what it has applied it does.
   */
  long received(int standby) throws SQLException {
    return ask(
        standby,
        ANSWER_SECONDS,
        "SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')",
        row -> row.getLong(1));
  }

  void follow(int standby, int primary) throws SQLException {
    setSource(standby, PostgreSqlNodes.connection(home, standby, primary, password));
  }

  private void setSource(int standby, String connection) throws SQLException {
    tell(
        standby,
        ANSWER_SECONDS,
        List.of(
            "ALTER SYSTEM SET primary_conninfo = '%s'".formatted(connection),
            "SELECT pg_reload_conf()"));
  }

  /** Makes a standby the primary; waits until it is. */
  void promote(int standby) throws SQLException {
    tell(
        standby,
        PROMOTE_SECONDS,
        List.of("SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(true, 6) END"));
  }

  /**
   * What is not as it should be, besides what a write to all tells: every other node is fed, and
   * has what the primary had a moment ago on its disk.
   */
  List<String> notReady(int primary) {
    List<String> problems = new ArrayList<>();
    try (Connection connection = connect(primary, ANSWER_SECONDS);
        Statement statement = connection.createStatement()) {
      boolean unused =
          statement.execute("SELECT pg_logical_emit_message(true, 'mqproof', 'ready')");
      try (ResultSet row =
          statement.executeQuery(
              "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
                  + " AND flush_lsn >= pg_current_wal_flush_lsn() - 65536::numeric")) {
        unused = row.next();
        long fed = row.getLong(1);
        if (fed < PostgreSqlNodes.COUNT - 1) {
          problems.add("node %d feeds %d standbys".formatted(primary, fed));
        }
      }
    } catch (SQLException e) {
      problems.add("node %d: %s".formatted(primary, e.getMessage()));
    }
    return problems;
  }
}
