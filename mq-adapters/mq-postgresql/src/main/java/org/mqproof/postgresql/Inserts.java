package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.support.GatheredSends;

/**
 * How messages get into the table of one queue: those of one request by one statement, and so all
 * or none of them.
 *
 * <p>Thread-safe. Blocks in the driver.
 */
final class Inserts implements GatheredSends.Store {

  private final Server server;
  private final boolean hasHeaders;
  private final String insert;
  private final String insertWithHeaders;

  Inserts(Server server, Queues.Queue queue) {
    this.server = server;
    hasHeaders = queue.hasHeaders();
    insert = "INSERT INTO %s (body) SELECT unnest(?)".formatted(queue.table());
    insertWithHeaders =
        "INSERT INTO %s (body, headers) SELECT body, headers::text[] FROM unnest(?, ?) AS message (body, headers)"
            .formatted(queue.table());
  }

  /** Tries again while a node says that it is no primary, and so has stored nothing. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    List<Message> fitting = messages.stream().filter(this::fits).toList();
    long deadline = System.nanoTime() + server.settings().stepBound().toNanos();
    while (true) {
      boolean[] sent = new boolean[1];
      try {
        boolean unused = server.use(connection -> insert(connection, fitting, sent));
        for (int i = 0; i < outcomes.length; i++) {
          outcomes[i] = fits(messages.get(i)) ? Outcome.CONFIRMED : Outcome.REJECTED;
        }
        return fitting.size() == messages.size() ? null : noColumn();
      } catch (SQLException e) {
        if (Errors.isReadOnly(e) && System.nanoTime() - deadline < 0) {
          continue;
        }
        boolean stored = sent[0] && !Errors.nothingHappened(e);
        for (int i = 0; i < outcomes.length; i++) {
          outcomes[i] = stored && fits(messages.get(i)) ? Outcome.UNKNOWN : Outcome.REJECTED;
        }
        return e;
      }
    }
  }

  private boolean fits(Message message) {
    return hasHeaders || message.headers().isEmpty();
  }

  private static MqException noColumn() {
    return new MqException(
        "the queue's table has no column headers, and this user may not add it: ALTER TABLE ... ADD"
            + " COLUMN headers text[]");
  }

  private boolean insert(Connection connection, List<Message> messages, boolean[] sent)
      throws SQLException {
    if (messages.isEmpty()) {
      return false;
    }
    byte[][] bodies = messages.stream().map(Message::body).toArray(byte[][]::new);
    boolean withHeaders = messages.stream().anyMatch(message -> !message.headers().isEmpty());
    try (PreparedStatement statement =
        connection.prepareStatement(withHeaders ? insertWithHeaders : insert)) {
      Server.setArrays(statement, "bytea", bodies);
      if (withHeaders) {
        statement.setArray(
            2,
            connection.createArrayOf(
                "text", messages.stream().map(Inserts::arrayOf).toArray(String[]::new)));
      }
      sent[0] = true;
      int unused = statement.executeUpdate();
      Server.requireNoWarning(statement);
      return true;
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
