package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.mqproof.MqException;
import org.mqproof.support.Promise;

/**
 * Which queues there are, and the table of each. The number in a table's name is never used again:
 * what is still sent to a deleted queue cannot come up in a later one of the same name.
 *
 * <p>Thread-safe: no state of its own. Its methods block in the driver.
 */
final class Queues {

  /** Whoever makes or deletes a queue takes this lock; any number that nobody else uses will do. */
  private static final long LOCK = 0x6d7170726f6f66L;

  private static final long NONE = -1;

  /** Of an unlogged table nothing is left after a crash, and standbys have none of it. */
  private static final String FIND =
      "SELECT id, relpersistence = 'u' FROM %1$s.queues"
          + " LEFT JOIN pg_class ON pg_class.oid = to_regclass('%1$s.queue_' || id) WHERE name = ?";

  private final String schema;
  private final Server server;

  Queues(Server server) {
    this.server = server;
    schema = server.settings().get(PostgreSqlSettings.SCHEMA);
  }

  /** The table of a queue, for as long as the queue is not deleted. */
  record Queue(String name, String table) {}

  /** What a name stands for: the number of a table, or {@link #NONE}. */
  private record Found(long id, boolean unlogged) {

    private static final Found NOTHING = new Found(NONE, false);
  }

  private static String table(String schema, long id) {
    return schema + ".queue_" + id;
  }

  /**
   * The queue of that name.
   *
   * @throws MqException if there is none, or it cannot keep what the settings promise
   */
  Queue get(String name) throws SQLException {
    return queue(server.settings(), name, find(name));
  }

  /** The same, in whatever transaction the connection is. */
  static Queue get(Connection connection, PostgreSqlSettings settings, String name)
      throws SQLException {
    String schema = settings.get(PostgreSqlSettings.SCHEMA);
    return queue(settings, name, find(connection, schema, name));
  }

  private static Queue queue(PostgreSqlSettings settings, String name, Found found) {
    if (found.id() == NONE) {
      throw new MqException("%s: there is no queue %s".formatted(settings.endpoint(), name));
    }
    Queue queue = new Queue(name, table(settings.get(PostgreSqlSettings.SCHEMA), found.id()));
    if (found.unlogged() && settings.get(PostgreSqlSettings.CHECK_QUEUE)) {
      Promise.require(
          settings.endpoint(),
          "queue " + name,
          List.of(
              "persistence is unlogged, must be logged: ALTER TABLE %s SET LOGGED"
                  .formatted(queue.table())),
          PostgreSqlSettings.CHECK_QUEUE.key());
    }
    return queue;
  }

  private Found find(String name) throws SQLException {
    try {
      return server.useAgain(connection -> find(connection, schema, name));
    } catch (SQLException e) {
      if (Errors.isMissing(e)) {
        return Found.NOTHING; // no queue was ever made
      }
      throw e;
    }
  }

  private static Found find(Connection connection, String schema, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FIND.formatted(schema))) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? new Found(row.getLong(1), row.getBoolean(2)) : Found.NOTHING;
      }
    }
  }

  private static long id(Connection connection, String sql, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : NONE;
      }
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  void create(String name) throws SQLException {
    Found found = find(name);
    if (found.id() == NONE) {
      alone(connection -> make(connection, name));
    } else {
      Queue unused = queue(server.settings(), name, found);
    }
  }

  void delete(String name) throws SQLException {
    if (find(name).id() != NONE) {
      alone(connection -> drop(connection, name));
    }
  }

  private interface Change {
    void makeWith(Connection connection) throws SQLException;
  }

  /** In one transaction, while nobody else does the same. A failed one goes with its connection. */
  private void alone(Change change) throws SQLException {
    boolean unused =
        server.useAgain(
            connection -> {
              boolean autoCommit = connection.getAutoCommit();
              connection.setAutoCommit(false);
              run(connection, "SELECT pg_advisory_xact_lock(%d)".formatted(LOCK));
              change.makeWith(connection);
              connection.setAutoCommit(autoCommit); // commits, or leaves that to whoever began
              return true;
            });
  }

  private void make(Connection connection, String name) throws SQLException {
    run(connection, "CREATE SCHEMA IF NOT EXISTS " + schema);
    run(
        connection,
        ("CREATE TABLE IF NOT EXISTS %s.queues (name text PRIMARY KEY,"
                + " id bigint NOT NULL GENERATED ALWAYS AS IDENTITY)")
            .formatted(schema));
    long id =
        id(
            connection,
            "INSERT INTO %s.queues (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING id"
                .formatted(schema),
            name);
    if (id != NONE) { // else somebody else made it meanwhile
      run(connection, tableDefinition(table(schema, id)));
    }
  }

  /**
   * A row that is free is hidden until the beginning of time, so that free ones come first in the
   * index, the oldest first. Headers are names and values by turns, as {@code jsonb_object} takes
   * them. Claims and acks leave dead rows behind: these are collected after so many, however large
   * the table is, and without resting meanwhile. Bodies are not compressed.
   */
  private static String tableDefinition(String table) {
    return """
        CREATE TABLE %1$s (
          id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
          until timestamptz NOT NULL DEFAULT '-infinity',
          claim bigint NOT NULL DEFAULT 0,
          body bytea NOT NULL,
          headers text[]
        ) WITH (
          autovacuum_vacuum_scale_factor = 0,
          autovacuum_vacuum_threshold = 10000,
          autovacuum_vacuum_insert_scale_factor = 0,
          autovacuum_vacuum_insert_threshold = 100000,
          autovacuum_vacuum_cost_delay = 0
        );
        ALTER TABLE %1$s ALTER COLUMN body SET STORAGE EXTERNAL;
        CREATE INDEX ON %1$s (until, id);
        """
        .formatted(table);
  }

  private void drop(Connection connection, String name) throws SQLException {
    long id =
        id(connection, "DELETE FROM %s.queues WHERE name = ? RETURNING id".formatted(schema), name);
    if (id != NONE) {
      run(connection, "DROP TABLE IF EXISTS " + table(schema, id));
    }
  }
}
