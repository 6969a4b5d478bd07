package com.example.h2;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.mqproof.Message;
import org.mqproof.Outcome;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;

/**
 * The requests of senders and receivers. Messages are stored and claimed by one statement, and
 * settled by one each. A claim hides a row until a moment on the server's clock, and ends the
 * claims before. Thread-safe.
 */
record H2Queue(H2Database database, String name, long hiddenMillis)
    implements GatheredSends.Store, ClaimingReceiver.Claims<H2Delivery> {

  static final String CREATE =
      """
      CREATE CACHED TABLE "%s" (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        claim INTEGER DEFAULT 0 NOT NULL,
        until TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
        body VARBINARY NOT NULL,
        headers VARCHAR ARRAY NOT NULL)
      """;
  private static final String INSERT =
      "INSERT INTO \"%s\" (body, headers) SELECT *"
          + " FROM UNNEST(CAST(? AS VARBINARY ARRAY), CAST(? AS VARCHAR ARRAY ARRAY))";
  private static final String HIDE =
      "UPDATE \"%1$s\" SET until = DATEADD(MILLISECOND, %2$d, CURRENT_TIMESTAMP), claim = ";
  private static final String CLAIM = // where another claim had locked a row it looks again
      "SELECT id, claim, body, headers FROM FINAL TABLE ("
          + HIDE
          + "claim + 1"
          + " WHERE until <= CURRENT_TIMESTAMP AND id IN (SELECT id FROM \"%1$s\""
          + " WHERE until <= CURRENT_TIMESTAMP ORDER BY id FETCH FIRST ? ROWS ONLY))";
  private static final String EXTEND = HIDE + "claim WHERE id = ?1 AND claim = ?2";
  private static final String FREE =
      "UPDATE \"%s\" SET until = CURRENT_TIMESTAMP WHERE id = ?1 AND claim = ?2";
  private static final String DELETE = "DELETE FROM \"%s\" WHERE id = ?1 AND claim = ?2";
  private static final String FIND_LATER =
      "UPDATE \"%s\" SET claim = claim WHERE id = ?1 AND claim > ?2";

  /** Leaves the outcomes unknown after a failure, which can be that of the commit. */
  @Override
  public Throwable store(List<Message> messages, Outcome[] outcomes) {
    try {
      int unused =
          with(
              INSERT,
              insert -> {
                insert.setObject(1, messages.stream().map(Message::body).toArray());
                insert.setObject(2, messages.stream().map(H2Queue::namesAndValues).toArray());
                return insert.executeUpdate();
              });
      Arrays.fill(outcomes, Outcome.CONFIRMED);
      return null;
    } catch (SQLException e) {
      return e;
    }
  }

  private <T> T with(String sql, H2Database.Work<T> work) throws SQLException {
    return database.with(sql.formatted(name, hiddenMillis), work);
  }

  private static Object[] namesAndValues(Message message) {
    return message.headers().entrySet().stream()
        .flatMap(header -> Stream.of(header.getKey(), header.getValue()))
        .toArray();
  }

  @Override
  public List<H2Delivery> claim(int max, AckRounds<H2Delivery> owner) throws SQLException {
    return with(
        CLAIM,
        claim -> {
          List<H2Delivery> claimed = new ArrayList<>();
          claim.setInt(1, Math.min(max, 100)); // their bodies may have 1 MiB each
          try (ResultSet row = claim.executeQuery()) {
            while (row.next()) {
              Message message = new Message(row.getBytes(3), headers(row));
              claimed.add(new H2Delivery(owner, row.getLong(1), row.getInt(2), message));
            }
          }
          return claimed;
        });
  }

  private static Map<String, String> headers(ResultSet row) throws SQLException {
    Object[] namesAndValues = (Object[]) row.getArray(4).getArray();
    Map<String, String> headers = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put((String) namesAndValues[i], (String) namesAndValues[i + 1]);
    }
    return headers;
  }

  /** A row that is gone does not come back, whoever deleted it; one with a later claim may. */
  @Override
  public Set<H2Delivery> settle(Collection<H2Delivery> deliveries) throws SQLException {
    Set<H2Delivery> ended = update(DELETE, deliveries);
    ended.removeAll(update(FIND_LATER, ended));
    return ended;
  }

  @Override
  public Set<H2Delivery> extend(Collection<H2Delivery> deliveries) throws SQLException {
    return update(EXTEND, deliveries);
  }

  @Override
  public boolean free(Collection<H2Delivery> deliveries) throws SQLException {
    return update(FREE, deliveries).size() < deliveries.size();
  }

  /** Executes a statement for each delivery, and returns those that have no such row. */
  private Set<H2Delivery> update(String sql, Collection<H2Delivery> deliveries)
      throws SQLException {
    return with(
        sql,
        statement -> {
          Set<H2Delivery> without = new HashSet<>();
          for (H2Delivery delivery : deliveries) {
            statement.setLong(1, delivery.id);
            statement.setInt(2, delivery.claim);
            if (statement.executeUpdate() == 0) {
              without.add(delivery);
            }
          }
          return without;
        });
  }
}
