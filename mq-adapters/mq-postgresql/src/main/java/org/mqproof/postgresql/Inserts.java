package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.support.GatheredSends;

/**
 * How messages get into the table of one queue: those of one request by one statement, and so all
 * or none of them.
 *
 * <p>Thread-safe. Blocks in the driver.
 */
final class Inserts implements GatheredSends.Store {

  private static final String BODIES = "INSERT INTO %s (body) SELECT unnest(?)";

  private static final String BODIES_AND_HEADERS =
      "INSERT INTO %s (body, headers)"
          + " SELECT body, headers::text[] FROM unnest(?, ?) AS message (body, headers)";

  private final Server server;
  private final Queues.Queue queue;

  Inserts(Server server, Queues.Queue queue) {
    this.server = server;
    this.queue = queue;
  }

  /** Tries again while a node says that it is no primary, and so has stored nothing. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    long deadline = System.nanoTime() + server.settings().stepBound().toNanos();
    while (true) {
      boolean[] sent = new boolean[1];
      try {
        boolean unused =
            server.use(
                connection -> {
                  sent[0] = true;
                  insert(connection, queue.table(), messages);
                  return true;
                });
        Arrays.fill(outcomes, Outcome.CONFIRMED);
        return null;
      } catch (SQLException e) {
        if (Errors.isReadOnly(e) && System.nanoTime() - deadline < 0) {
          continue;
        }
        boolean stored = sent[0] && !Errors.nothingHappened(e);
        Arrays.fill(outcomes, stored ? Outcome.UNKNOWN : Outcome.REJECTED);
        return e;
      }
    }
  }

  /**
   * Inserts messages in whatever transaction the connection is.
   *
   * @throws SQLException also for a warning: the server gives one, and reports success, when it
   *     gives up to wait for a standby
   */
  static void insert(Connection connection, String table, List<Message> messages)
      throws SQLException {
    byte[][] bodies = messages.stream().map(Message::body).toArray(byte[][]::new);
    boolean withHeaders = messages.stream().anyMatch(message -> !message.headers().isEmpty());
    try (PreparedStatement statement =
        connection.prepareStatement((withHeaders ? BODIES_AND_HEADERS : BODIES).formatted(table))) {
      Server.setArrays(statement, "bytea", bodies);
      if (withHeaders) {
        statement.setArray(
            2,
            connection.createArrayOf(
                "text", messages.stream().map(Inserts::arrayOf).toArray(String[]::new)));
      }
      int unused = statement.executeUpdate();
      Server.requireNoWarning(statement);
    }
  }

  /** An array as the server writes it: names and values by turns; null if there are none. */
  static @Nullable String arrayOf(Message message) {
    if (message.headers().isEmpty()) {
      return null;
    }
    StringJoiner array = new StringJoiner(",", "{", "}");
    message.headers().forEach((name, value) -> array.add(quoted(name)).add(quoted(value)));
    return array.toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
