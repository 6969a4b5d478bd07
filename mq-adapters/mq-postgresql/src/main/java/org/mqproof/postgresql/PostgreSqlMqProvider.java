package org.mqproof.postgresql;

import java.util.List;
import java.util.Map;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to PostgreSQL 14 or newer: one server, or a primary and its standbys. A queue is a table
 * with one row per message; the table {@code queues} of the same schema says which.
 *
 * <p>A receiver claims rows that nobody has locked, in one statement, which hides them until a
 * moment on the primary's clock. No client's clock decides what is hidden. After a fail-over the
 * clock of another node does: a claim then ends sooner or later by as much as the nodes' clocks
 * differ.
 *
 * <p>PostgreSQL does not fail over by itself. What a confirm is worth after the loss of the primary
 * rests on whoever promotes a standby: with {@code ANY 1 (a, b)} he must ask <em>every</em> standby
 * of that list how far it is, and promote the one that is furthest.
 *
 * <p>With <em>on</em> and <em>remote-apply</em> a row is seen by others only after its commit, and
 * by that the row itself, is on a standby's disk: what was delivered is never rolled back, and
 * neither is an ack that completed. With <em>local</em> and <em>off</em> the loss of the primary
 * takes along what only it had.
 *
 * <p>Thread-safe.
 */
public final class PostgreSqlMqProvider implements MqProvider {

  /** Makes a provider; usually {@link java.util.ServiceLoader} does. */
  public PostgreSqlMqProvider() {}

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public List<Setting<?>> settings() {
    return PostgreSqlSettings.ALL;
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    return PostgreSqlMq.connect(new PostgreSqlSettings(Settings.of(this, settings)));
  }
}
