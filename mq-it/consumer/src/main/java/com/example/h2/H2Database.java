package com.example.h2;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.mqproof.spi.Settings;

/**
 * Statements over a pool of connections. Each commits itself: the client of H2 leaves the socket of
 * an answer that it gave up open, and the server would keep the locks of a transaction for as long.
 * Thread-safe; blocks in the driver.
 */
record H2Database(HikariDataSource pool) {

  /** What is done with a statement. */
  interface Work<T> {
    T with(PreparedStatement statement) throws SQLException;
  }

  /** Connects. A connection is given up if one answer takes longer than a step. */
  static H2Database of(Settings settings, Duration step) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:h2:tcp://" + settings.get(H2MqProvider.DATABASE));
    config.addDataSourceProperty("NETWORK_TIMEOUT", Long.toString(step.toMillis()));
    // Else H2 writes a commit 500 ms later. It forgets this setting when a database is closed.
    config.addDataSourceProperty("WRITE_DELAY", "0");
    config.setUsername(settings.get(H2MqProvider.USERNAME));
    config.setPassword(settings.get(H2MqProvider.PASSWORD));
    config.setConnectionTimeout(step.toMillis());
    config.setMaximumPoolSize(20);
    config.setMinimumIdle(0);
    return new H2Database(new HikariDataSource(config));
  }

  /** After an error, what was under way may have been done. */
  <T> T with(String sql, Work<T> work) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        return work.with(statement);
      } catch (SQLException e) {
        pool.evictConnection(connection); // it may be broken
        throw e;
      }
    }
  }
}
