package org.mqproof.postgresql;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.Traits;
import org.mqproof.support.ClaimingMq;
import org.mqproof.support.ClaimingReceiver;
import org.mqproof.support.GatheredSends;

/** Queues in one schema of a PostgreSQL database, over one pool. Thread-safe. */
final class PostgreSqlMq extends ClaimingMq<Queues.Queue, PostgreSqlDelivery> {

  private final PostgreSqlSettings settings;
  private final Server server;
  private final Queues queues;

  private PostgreSqlMq(PostgreSqlSettings settings, Server server) {
    super(
        "postgresql",
        settings.endpoint(),
        server.calls(),
        settings.bounds(),
        PostgreSqlDelivery.class);
    this.settings = settings;
    this.server = server;
    queues = new Queues(server);
  }

  static PostgreSqlMq connect(PostgreSqlSettings settings, @Nullable DataSource lent) {
    PostgreSqlMq mq = new PostgreSqlMq(settings, new Server(settings, lent));
    try {
      mq.server.requireMode();
      return mq;
    } catch (MqException e) {
      mq.close();
      throw e;
    }
  }

  @Override
  protected void create(String queue) throws SQLException {
    queues.create(queue);
  }

  @Override
  protected void delete(String queue) throws SQLException {
    queues.delete(queue);
  }

  @Override
  protected Queues.Queue find(String queue) throws SQLException {
    return queues.get(queue);
  }

  @Override
  protected GatheredSends.Store store(Queues.Queue queue) {
    return new Inserts(server, queue);
  }

  @Override
  protected ClaimingReceiver.Claims<PostgreSqlDelivery> claims(Queues.Queue queue) {
    return new Claims(server, queue);
  }

  @Override
  public Traits traits() {
    return settings.traits();
  }

  @Override
  protected void closeConnections() {
    server.close();
  }
}
