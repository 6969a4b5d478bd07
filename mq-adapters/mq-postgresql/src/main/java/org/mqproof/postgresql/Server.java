package org.mqproof.postgresql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.mqproof.MqException;
import org.mqproof.postgresql.PostgreSqlSettings.SynchronousCommit;
import org.mqproof.support.BlockingCalls;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Connections to the primary, and the threads in which they are used.
 *
 * <p>Thread-safe.
 */
final class Server implements AutoCloseable {

  /** Something that is done with one connection. */
  interface Use<T> {
    T with(Connection connection) throws SQLException;
  }

  /** A standby that was promoted is seen so soon. */
  private static final int RECHECK_SECONDS = 1;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PostgreSqlSettings settings;
  private final HikariDataSource pool;
  private final BlockingCalls calls;

  /** Connects to nothing yet. */
  Server(PostgreSqlSettings settings) {
    this.settings = settings;
    HikariConfig config = new HikariConfig();
    config.setDataSource(new Primary(settings));
    config.setPoolName("mqproof-postgresql-" + Integer.toHexString(System.identityHashCode(this)));
    config.setMaximumPoolSize(settings.get(PostgreSqlSettings.CONNECTIONS));
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(settings.get(PostgreSqlSettings.CONNECT_BOUND).toMillis());
    config.setValidationTimeout(
        Math.max(250, settings.get(PostgreSqlSettings.CONNECT_BOUND).toMillis() / 2));
    config.setIdleTimeout(TimeUnit.SECONDS.toMillis(30));
    pool = new HikariDataSource(config);
    calls =
        new BlockingCalls(
            "mqproof-postgresql", settings.endpoint(), Errors::reason, settings.callBound());
  }

  /** The node that takes writes, whichever it is. */
  static final class Primary extends PGSimpleDataSource {

    private static final long serialVersionUID = 1L;

    private final transient PostgreSqlSettings settings;
    private final int answerMillis;

    Primary(PostgreSqlSettings settings) {
      this.settings = settings;
      answerMillis = Math.toIntExact(settings.stepBound().toMillis());
      int connectSeconds =
          Math.toIntExact(Math.max(1, settings.get(PostgreSqlSettings.CONNECT_BOUND).toSeconds()));
      Properties driver = new Properties();
      PGProperty.TARGET_SERVER_TYPE.set(driver, "primary");
      PGProperty.HOST_RECHECK_SECONDS.set(driver, RECHECK_SECONDS);
      PGProperty.CONNECT_TIMEOUT.set(driver, connectSeconds);
      // Until a node has let us in, which a paused one never does; then it has answerMillis.
      PGProperty.SOCKET_TIMEOUT.set(driver, Math.max(1, connectSeconds / 2));
      PGProperty.TCP_KEEP_ALIVE.set(driver, true);
      PGProperty.APPLICATION_NAME.set(driver, "mqproof");
      PGProperty.SSL_MODE.set(driver, "disable");
      PGProperty.GSS_ENC_MODE.set(driver, "disable");
      // A plan that reads a whole table is never right for a queue, whatever is known of its size.
      PGProperty.OPTIONS.set(
          driver,
          "-c synchronous_commit=%s -c enable_seqscan=off -c statement_timeout=%d"
              .formatted(
                  settings.get(PostgreSqlSettings.SYNCHRONOUS_COMMIT).serverName(),
                  answerMillis * 3L / 4));
      driver.putAll(settings.get(PostgreSqlSettings.CLIENT));
      for (String name : driver.stringPropertyNames()) {
        try {
          setProperty(name, driver.getProperty(name));
        } catch (SQLException e) {
          throw new IllegalStateException("the driver has no property " + name, e);
        }
      }
      String[] addresses = settings.get(PostgreSqlSettings.ADDRESSES).split(",", -1);
      String[] hosts = new String[addresses.length];
      int[] ports = new int[addresses.length];
      for (int i = 0; i < addresses.length; i++) {
        int colon = addresses[i].lastIndexOf(':');
        hosts[i] = addresses[i].substring(0, colon);
        ports[i] = Integer.parseInt(addresses[i].substring(colon + 1));
      }
      setServerNames(hosts);
      setPortNumbers(ports);
      setDatabaseName(settings.get(PostgreSqlSettings.DATABASE));
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection =
          getConnection(
              settings.get(PostgreSqlSettings.USERNAME), settings.get(PostgreSqlSettings.PASSWORD));
      connection.setNetworkTimeout(Runnable::run, answerMillis);
      return connection;
    }
  }

  PostgreSqlSettings settings() {
    return settings;
  }

  BlockingCalls calls() {
    return calls;
  }

  /**
   * Fails if there is no primary that lets us in, or if it does not do what the mode declares.
   *
   * @throws MqException with the reason
   */
  void requireMode() {
    String unused = calls.call("connect", this::askMode);
  }

  private String askMode() throws SQLException {
    long deadline = System.nanoTime() + settings.get(PostgreSqlSettings.CONNECT_BOUND).toNanos();
    while (true) {
      // Not from the pool, which would ask again when a password was wrong.
      try (Connection connection = new Primary(settings).getConnection()) {
        requireMode(connection);
        return "";
      } catch (SQLException e) {
        if (Errors.isRefused(e) || System.nanoTime() - deadline > 0) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void requireMode(Connection connection) throws SQLException {
    SynchronousCommit commit = settings.get(PostgreSqlSettings.SYNCHRONOUS_COMMIT);
    int copies = settings.get(PostgreSqlSettings.COPIES);
    if (copies < 2) {
      return;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('synchronous_standby_names'),"
                    + " (SELECT count(*) FROM pg_stat_replication)")) {
      boolean unused = row.next();
      if (commit.awaitsStandbys() && row.getString(1).isBlank()) {
        throw new MqException(
            ("%s: cannot connect: synchronous.commit=%s waits for nobody while the server's"
                    + " synchronous_standby_names is empty; set it there, or set copies to 1")
                .formatted(settings.endpoint(), commit.serverName().replace('_', '-')));
      }
      int nodes = row.getInt(2) + 1;
      // While a node is down its copies are missing, too; commits wait for those that count.
      if (nodes < 2) {
        throw new MqException(
            "%s: cannot connect: setting copies is %d, and no standby is connected; start them, or set copies to 1"
                .formatted(settings.endpoint(), copies));
      }
    }
  }

  /**
   * Does something with a connection. After an error the connection is not used again.
   *
   * @throws SQLException as it was thrown
   */
  <T> T use(Use<T> use) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      try {
        return use.with(connection);
      } catch (SQLException e) {
        pool.evictConnection(connection);
        throw e;
      }
    }
  }

  /**
   * Fails if the server said anything but that it is done. It warns, and reports success, when it
   * gives up to wait for a standby.
   */
  static void requireNoWarning(Statement statement) throws SQLException {
    SQLException warning = statement.getWarnings();
    if (warning != null) {
      throw warning;
    }
  }

  /** Passes arrays of the same length as the first parameters of a statement. */
  static void setArrays(PreparedStatement statement, String type, Object[]... arrays)
      throws SQLException {
    for (int i = 0; i < arrays.length; i++) {
      Array array = statement.getConnection().createArrayOf(type, arrays[i]);
      statement.setArray(i + 1, array);
    }
  }

  /** Closes the connections. Threads that still wait for an answer end with their own bound. */
  @Override
  public void close() {
    calls.close();
    pool.close();
  }
}
