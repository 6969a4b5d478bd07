package org.mqproof.postgresql;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
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

  private static final Pattern OF_THE_SOURCE =
      Pattern.compile(
          "addresses|database|connections|username|password(\\.file)?|tls(\\..*)?|client\\..*");

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
    PostgreSqlSettings own = new PostgreSqlSettings(Settings.of(this, settings));
    return PostgreSqlMq.connect(own, null);
  }

  /**
   * Connects through a {@link DataSource} of the caller, who closes it after the {@code Mq}.
   *
   * <p>A connection is held for one request, which is a transaction of its own with the {@code
   * synchronous_commit} that the settings ask for, a {@code statement_timeout}, and a network
   * timeout of a quarter of {@code call.bound}; it is then given back as it was. After an error it
   * is aborted. A request takes two round trips more than with connections of this adapter's own. A
   * sender uses up to 4 connections at a time, a receiver 2.
   *
   * <p>Calls end within their bounds, whatever the source does. How long a thread of ours waits for
   * a connection behind that is the source's own affair: set {@code connectTimeout}, {@code
   * loginTimeout} and {@code targetServerType=primary} of pgjdbc there, and the pool's own timeout.
   *
   * @param settings as for {@link #connect(Map)}, without those that say how to connect and who:
   *     {@code addresses}, {@code database}, {@code username}, {@code password}, {@code
   *     connections}, {@code tls*}, {@code client.*}
   * @param source of pgjdbc, or a pool of such connections
   * @return a connection, to be closed by the caller
   * @throws IllegalArgumentException for a setting that is not taken
   * @throws org.mqproof.MqException if there is no primary that lets us in, or it does not do what
   *     the settings declare
   */
  public Mq connect(Map<String, String> settings, DataSource source) {
    settings.keySet().stream()
        .filter(key -> OF_THE_SOURCE.matcher(key).matches())
        .findFirst()
        .ifPresent(
            key -> {
              throw new IllegalArgumentException(
                  "postgresql: setting %s is of no use with a DataSource, which decides that itself"
                      .formatted(key));
            });
    PostgreSqlSettings own =
        new PostgreSqlSettings(Settings.of(this, settings), "PostgreSQL of the given DataSource");
    return PostgreSqlMq.connect(own, source);
  }
}
