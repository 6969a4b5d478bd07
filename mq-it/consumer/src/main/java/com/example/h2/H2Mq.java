package com.example.h2;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.h2.api.ErrorCode;
import org.mqproof.MqException;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.BoundedWaits;
import org.mqproof.support.ClaimingMq;

/** The queues of one database: a table each. Thread-safe. */
final class H2Mq extends ClaimingMq<H2Queue, H2Delivery> {

  /** A crash empties a table that is not persistent, whose type is then MEMORY. */
  private static final String STORAGE_TYPE =
      "SELECT storage_type FROM information_schema.tables"
          + " WHERE table_schema = CURRENT_SCHEMA AND table_name = ?";

  private final BlockingCalls calls;
  private final Bounds bounds;
  private final H2Database database;

  H2Mq(String endpoint, BlockingCalls calls, Bounds bounds, H2Database database) {
    super("h2", endpoint, calls, bounds, H2Delivery.class);
    this.calls = calls;
    this.bounds = bounds;
    this.database = database;
  }

  @Override
  public Traits traits() {
    return Traits.mode("h2")
        .durable(true)
        .claimPeriod(bounds.claimPeriod())
        .redeliveryBound(bounds.hidden().plusSeconds(1)) // receivers look more often than that
        .release(Release.ANY_RECEIVER)
        .extendable(true)
        .largestBodyBytes(1 << 20) // what a column can hold
        .mostHeaders(100)
        .largestHeadersBytes(16 << 10)
        .callBound(bounds.step().multipliedBy(4))
        .notChecked(Set.of("WRITE_DELAY")) // each connection sets it, but another program may too
        .build();
  }

  @Override
  protected void create(String queue) throws SQLException {
    execute(H2Queue.CREATE, queue, ErrorCode.TABLE_OR_VIEW_ALREADY_EXISTS_1);
    find(queue); // which may refuse it
  }

  @Override
  protected void delete(String queue) throws SQLException {
    execute("DROP TABLE \"%s\"", queue, ErrorCode.TABLE_OR_VIEW_NOT_FOUND_1);
  }

  /** Takes an error with this code for done. */
  private void execute(String sql, String queue, int code) throws SQLException {
    try {
      database.with(sql.formatted(queue), statement -> statement.executeUpdate());
    } catch (SQLException e) {
      if (e.getErrorCode() != code) {
        throw e;
      }
    }
  }

  @Override
  protected H2Queue find(String queue) throws SQLException {
    return database.with(
        STORAGE_TYPE,
        check -> {
          check.setString(1, queue);
          try (ResultSet row = check.executeQuery()) {
            if (!row.next()) {
              throw new MqException("there is no queue " + queue);
            }
            if (!row.getString(1).equals("CACHED")) {
              throw new MqException(
                  "queue %s loses messages in a crash: STORAGE_TYPE is %s, must be CACHED"
                      .formatted(queue, row.getString(1)));
            }
            return new H2Queue(database, queue, bounds.hidden().toMillis());
          }
        });
  }

  @Override
  protected H2Queue store(H2Queue queue) {
    return queue;
  }

  @Override
  protected H2Queue claims(H2Queue queue) {
    return queue;
  }

  @Override
  protected void closeConnections() {
    Future<Object> closed = calls.submit(Executors.callable(database.pool()::close));
    BoundedWaits.await(closed, System.nanoTime() + bounds.step().toNanos());
    calls.close();
  }
}
