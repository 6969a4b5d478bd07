package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.mqproof.MqException;

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

  private final String schema;
  private final Server server;

  Queues(Server server) {
    this.server = server;
    schema = server.settings().get(PostgreSqlSettings.SCHEMA);
  }

  /**
   * The table of a queue, for as long as the queue is not deleted.
   *
   * @param hasHeaders whether it has the column for headers, which tables of 0.1.0 had not
   */
  record Queue(String name, String table, boolean hasHeaders) {}

  private String table(long id) {
    return schema + ".queue_" + id;
  }

  /**
   * The queue of that name.
   *
   * @throws MqException if there is none
   */
  Queue get(String name) throws SQLException {
    long id = server.use(connection -> find(connection, name));
    if (id == NONE) {
      throw new MqException(
          "%s: there is no queue %s".formatted(server.settings().endpoint(), name));
    }
    String table = table(id);
    return new Queue(
        name,
        table,
        server.use(connection -> hasHeaders(connection, table)) || addHeaders(name, table));
  }

  private static boolean hasHeaders(Connection connection, String table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT 1 FROM pg_attribute WHERE attrelid = ?::regclass AND attname = 'headers'"
                + " AND NOT attisdropped")) {
      statement.setString(1, table);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Without the right to, or while somebody holds on to the table, it stays as it is. */
  private boolean addHeaders(String name, String table) throws SQLException {
    try {
      return server.use(
          connection ->
              inOne(
                  connection,
                  () -> {
                    try (Statement statement = connection.createStatement()) {
                      boolean unused = statement.execute("SET LOCAL lock_timeout = '1s'");
                      unused =
                          statement.execute(
                              "ALTER TABLE %s ADD COLUMN IF NOT EXISTS headers text[]"
                                  .formatted(table));
                    }
                    return true;
                  }));
    } catch (SQLException e) {
      if (Errors.isNotNow(e)) {
        return false;
      }
      throw server.calls().failed("add a column to the table of queue " + name, e);
    }
  }

  private long find(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT id FROM %s.queues WHERE name = ?".formatted(schema))) {
      statement.setString(1, name);
      return id(statement);
    } catch (SQLException e) {
      if (Errors.isMissing(e)) {
        return NONE; // no queue was ever made
      }
      throw e;
    }
  }

  private static long id(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      return row.next() ? row.getLong(1) : NONE;
    }
  }

  boolean create(String name) throws SQLException {
    return server.use(
        connection ->
            find(connection, name) == NONE && inOne(connection, () -> make(connection, name)));
  }

  boolean delete(String name) throws SQLException {
    return server.use(
        connection ->
            find(connection, name) != NONE && inOne(connection, () -> drop(connection, name)));
  }

  private interface Change {
    boolean make() throws SQLException;
  }

  /** In one transaction, while nobody else does the same. */
  private static boolean inOne(Connection connection, Change change) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute("SELECT pg_advisory_xact_lock(%d)".formatted(LOCK));
      boolean changed = change.make();
      connection.commit();
      return changed;
    } finally {
      connection.setAutoCommit(true); // a failed transaction goes with its connection
    }
  }

  private boolean make(Connection connection, String name) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
      unused =
          statement.execute(
              ("CREATE TABLE IF NOT EXISTS %s.queues (name text PRIMARY KEY,"
                      + " id bigint NOT NULL GENERATED ALWAYS AS IDENTITY)")
                  .formatted(schema));
    }
    long id;
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO %s.queues (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING id"
                .formatted(schema))) {
      statement.setString(1, name);
      id = id(statement);
    }
    if (id == NONE) {
      return false; // somebody else made it meanwhile
    }
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(tableDefinition(table(id)));
    }
    return true;
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
          body bytea STORAGE EXTERNAL NOT NULL,
          headers text[]
        ) WITH (
          autovacuum_vacuum_scale_factor = 0,
          autovacuum_vacuum_threshold = 10000,
          autovacuum_vacuum_insert_scale_factor = 0,
          autovacuum_vacuum_insert_threshold = 100000,
          autovacuum_vacuum_cost_delay = 0
        );
        CREATE INDEX ON %1$s (until, id);
        """
        .formatted(table);
  }

  private boolean drop(Connection connection, String name) throws SQLException {
    long id;
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM %s.queues WHERE name = ? RETURNING id".formatted(schema))) {
      statement.setString(1, name);
      id = id(statement);
    }
    if (id == NONE) {
      return false;
    }
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute("DROP TABLE IF EXISTS " + table(id));
    }
    return true;
  }
}
