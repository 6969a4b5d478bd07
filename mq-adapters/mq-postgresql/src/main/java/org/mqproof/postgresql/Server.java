package org.mqproof.postgresql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.postgresql.PostgreSqlSettings.SynchronousCommit;
import org.mqproof.support.BlockingCalls;

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

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PostgreSqlSettings settings;
  private final DataSource source;
  private final @Nullable HikariDataSource pool; // of the source, if that is our own
  private final String begin;
  private final BlockingCalls calls;

  /**
   * Connects to nothing yet.
   *
   * @param lent where a caller's connections come from; null for our own
   */
  Server(PostgreSqlSettings settings, @Nullable DataSource lent) {
    this.settings = settings;
    source = lent == null ? new Primary(settings) : lent;
    pool = lent == null ? pool() : null;
    begin =
        settings.session().entrySet().stream()
            .map(setting -> "; SET LOCAL %s = %s".formatted(setting.getKey(), setting.getValue()))
            .collect(
                Collectors.joining(
                    "", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE", ""));
    calls =
        new BlockingCalls(
            "mqproof-postgresql", settings.endpoint(), Errors::reason, settings.callBound());
  }

  private HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName("mqproof-postgresql-" + Integer.toHexString(System.identityHashCode(this)));
    config.setMaximumPoolSize(settings.get(PostgreSqlSettings.CONNECTIONS));
    config.setMinimumIdle(0);
    config.setInitializationFailTimeout(-1);
    config.setConnectionTimeout(settings.get(PostgreSqlSettings.CONNECT_BOUND).toMillis());
    config.setValidationTimeout(
        Math.max(250, settings.get(PostgreSqlSettings.CONNECT_BOUND).toMillis() / 2));
    config.setIdleTimeout(TimeUnit.SECONDS.toMillis(30));
    return new HikariDataSource(config);
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
    boolean unused = calls.call("connect", this::askMode);
  }

  private boolean askMode() throws SQLException {
    long deadline = System.nanoTime() + settings.get(PostgreSqlSettings.CONNECT_BOUND).toNanos();
    while (true) {
      try {
        if (pool == null) {
          return useLent(this::requireMode);
        }
        // Not from the pool, which would ask again when a password was wrong.
        try (Connection connection = source.getConnection()) {
          return requireMode(connection);
        }
      } catch (SQLException e) {
        if (Errors.isRefused(e) || System.nanoTime() - deadline > 0) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private boolean requireMode(Connection connection) throws SQLException {
    SynchronousCommit commit = settings.get(PostgreSqlSettings.SYNCHRONOUS_COMMIT);
    int copies = settings.get(PostgreSqlSettings.COPIES);
    if (copies < 2) {
      return true;
    }
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('synchronous_standby_names'),"
                    + " (SELECT count(*) FROM pg_stat_replication)")) {
      boolean unused = row.next();
      if (commit.awaitsStandbys() && row.getString(1).isBlank()) {
        throw new MqException(
            ("%s: cannot connect: synchronous_standby_names is empty, must be set for"
                    + " synchronous.commit=%s, which waits for nobody otherwise, or set copies to 1")
                .formatted(settings.endpoint(), commit.serverName().replace('_', '-')));
      }
      int nodes = row.getInt(2) + 1;
      // While a node is down its copies are missing, too; commits wait for those that count.
      if (nodes < 2) {
        throw new MqException(
            "%s: cannot connect: setting copies is %d, and no standby is connected; start them, or set copies to 1"
                .formatted(settings.endpoint(), copies));
      }
      return true;
    }
  }

  /**
   * Does something with a connection, which commits each statement, or all of them at the end.
   * After an error the connection is not used again.
   *
   * @throws SQLException as it was thrown
   */
  <T> T use(Use<T> use) throws SQLException {
    HikariDataSource ours = pool;
    if (ours == null) {
      return useLent(use);
    }
    try (Connection connection = ours.getConnection()) {
      try {
        return use.with(connection);
      } catch (SQLException e) {
        ours.evictConnection(connection);
        if (Errors.isBroken(e)) {
          ours.getHikariPoolMXBean().softEvictConnections(); // what broke one broke others
        }
        throw e;
      }
    }
  }

  /**
   * The same with what may be done twice: a pool lends a connection that broke since its last use
   * without a look at it, and says so of the first statement.
   *
   * @throws SQLException as it was thrown the second time, or the first if a connection was not the
   *     reason
   */
  <T> T useAgain(Use<T> use) throws SQLException {
    try {
      return use(use);
    } catch (SQLException e) {
      if (!Errors.isBroken(e)) {
        throw e;
      }
      return use(use);
    }
  }

  /** In one transaction, after which nothing is left of our settings. */
  private <T> T useLent(Use<T> use) throws SQLException {
    try (Connection connection = source.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      int networkMillis = connection.getNetworkTimeout();
      try (Statement statement = connection.createStatement()) {
        connection.setNetworkTimeout(
            Runnable::run, Math.toIntExact(settings.stepBound().toMillis()));
        connection.setAutoCommit(false);
        boolean unused = statement.execute(begin);
        connection.clearWarnings();
        T result = use.with(connection);
        connection.commit();
        requireNone(connection.getWarnings());
        connection.setAutoCommit(autoCommit);
        connection.setNetworkTimeout(Runnable::run, networkMillis);
        return result;
      } catch (SQLException | RuntimeException e) {
        connection.abort(Runnable::run);
        throw e;
      }
    }
  }

  /**
   * Fails if the server said anything but that it is done. It warns, and reports success, when it
   * gives up to wait for a standby.
   */
  static void requireNoWarning(Statement statement) throws SQLException {
    requireNone(statement.getWarnings());
  }

  private static void requireNone(@Nullable SQLWarning warning) throws SQLWarning {
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
    if (pool != null) {
      pool.close();
    }
  }
}
