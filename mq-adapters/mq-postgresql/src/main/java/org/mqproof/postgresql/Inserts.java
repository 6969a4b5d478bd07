package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
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

  private final Server server;
  private final String insert;

  Inserts(Server server, Queues.Queue queue) {
    this.server = server;
    insert = "INSERT INTO %s (body) SELECT unnest(?)".formatted(queue.table());
  }

  /** Tries again while a node says that it is no primary, and so has stored nothing. */
  @Override
  public @Nullable Throwable store(List<Message> messages, @Nullable Outcome[] outcomes) {
    byte[][] array = messages.stream().map(Message::body).toArray(byte[][]::new);
    long deadline = System.nanoTime() + server.settings().stepBound().toNanos();
    while (true) {
      boolean[] sent = new boolean[1];
      try {
        boolean unused = server.use(connection -> insert(connection, array, sent));
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

  private boolean insert(Connection connection, byte[][] bodies, boolean[] sent)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      Server.setArrays(statement, "bytea", bodies);
      sent[0] = true;
      int unused = statement.executeUpdate();
      Server.requireNoWarning(statement);
      return true;
    }
  }
}
