package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.spi.Settings;
import org.mqproof.support.MessageLimits;

/**
 * Sends to one queue within a transaction of the caller: the messages are sent if, and only if,
 * what else that transaction does is done.
 *
 * <p>Nothing is confirmed before the caller commits. A commit that returns confirms the messages;
 * they are then as safe as everything else in it, which {@code synchronous_commit} of the caller's
 * own connection decides. A commit that fails with a broken connection leaves the outcome unknown.
 * One that leaves a warning on a connection gave up to wait for a standby: the messages are there,
 * on the primary only. After a rollback, or a connection that broke before the commit, nothing is
 * left.
 *
 * <p>Receivers are those of any {@code Mq} on the same database and schema. They see messages after
 * the commit; one that waits, within its next look, some 16 ms. Whoever holds a transaction open
 * for long keeps the server from removing dead rows, of queues as well.
 *
 * <p>Thread-safe, and holds nothing to be closed. A connection is for one thread at a time.
 */
public final class Outbox {

  private final String queue;
  private final PostgreSqlSettings settings;
  private final MessageLimits limits;

  /**
   * Connects to nothing.
   *
   * @param queue its name; the queue must exist when it is sent to
   * @param settings those of the {@code Mq} of the receivers, or as many of them as are to be
   *     obeyed: {@code schema} and {@code max.body.bytes}
   * @throws IllegalArgumentException for a setting that is not taken
   */
  public Outbox(String queue, Map<String, String> settings) {
    this.queue = queue;
    this.settings =
        new PostgreSqlSettings(
            Settings.of(new PostgreSqlMqProvider(), settings),
            "PostgreSQL of the given connection");
    limits = MessageLimits.of(this.settings.traits());
  }

  /**
   * Adds messages to the transaction of a connection, by two statements for any number of them.
   * Leaves the connection as it was, but for what the transaction holds; commits nothing, rolls
   * nothing back. Waits as long as the connection does: its timeouts are the caller's.
   *
   * @param connection to the primary, with autocommit off
   * @param messages sent all or none; may be empty
   * @throws IllegalStateException if the connection commits by itself
   * @throws IllegalArgumentException if a message is too large; nothing was done
   * @throws MqException if there is no such queue
   * @throws SQLException as the connection throws it, also if no queue was ever made: roll back,
   *     since PostgreSQL takes nothing more in this transaction
   */
  public void send(Connection connection, List<Message> messages) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection commits by itself, and so there is no transaction to send within: call"
              + " setAutoCommit(false) first, and commit afterwards");
    }
    for (Message message : messages) {
      String refusal = limits.refusal(message);
      if (refusal != null) {
        throw new IllegalArgumentException("cannot send to queue " + queue + ": " + refusal);
      }
    }
    if (!messages.isEmpty()) {
      String table = Queues.get(connection, settings, queue).table();
      Inserts.insert(connection, table, messages);
    }
  }
}
