package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections, as the settings name them, to the node that takes writes. Thread-safe. */
final class Primary extends PGSimpleDataSource {

  private static final long serialVersionUID = 1L;

  /** A standby that was promoted is seen so soon. */
  private static final int RECHECK_SECONDS = 1;

  private final transient PostgreSqlSettings settings;

  /** By which the driver finds the TLS of these settings; held for as long as it may ask. */
  private final @Nullable String tls;

  Primary(PostgreSqlSettings settings) {
    this.settings = settings;
    int connectSeconds =
        Math.toIntExact(Math.max(1, settings.get(PostgreSqlSettings.CONNECT_BOUND).toSeconds()));
    setURL(
        "jdbc:postgresql://%s/%s"
            .formatted(
                settings.get(PostgreSqlSettings.ADDRESSES),
                settings.get(PostgreSqlSettings.DATABASE)));
    Properties driver = new Properties();
    PGProperty.TARGET_SERVER_TYPE.set(driver, "primary");
    PGProperty.HOST_RECHECK_SECONDS.set(driver, RECHECK_SECONDS);
    PGProperty.CONNECT_TIMEOUT.set(driver, connectSeconds);
    // Until a node has let us in, which a paused one never does; then it has stepBound.
    PGProperty.SOCKET_TIMEOUT.set(driver, Math.max(1, connectSeconds / 2));
    PGProperty.TCP_KEEP_ALIVE.set(driver, true);
    PGProperty.APPLICATION_NAME.set(driver, "mqproof");
    PGProperty.GSS_ENC_MODE.set(driver, "disable");
    PGProperty.OPTIONS.set(
        driver,
        settings.session().entrySet().stream()
            .map(setting -> "-c %s=%s".formatted(setting.getKey(), setting.getValue()))
            .collect(Collectors.joining(" ")));
    tls = settings.tls().map(PreparedTls::put).orElse(null);
    // PreparedTls checks the host, if it is to be checked.
    PGProperty.SSL_MODE.set(driver, tls == null ? "disable" : "verify-ca");
    PGProperty.SSL_FACTORY.set(driver, tls == null ? null : PreparedTls.class.getName());
    PGProperty.SSL_FACTORY_ARG.set(driver, tls);
    driver.putAll(settings.get(PostgreSqlSettings.CLIENT));
    for (String name : driver.stringPropertyNames()) {
      try {
        setProperty(name, driver.getProperty(name));
      } catch (SQLException e) {
        throw new IllegalStateException("the driver has no property " + name, e);
      }
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection =
        getConnection(
            settings.get(PostgreSqlSettings.USERNAME), settings.get(PostgreSqlSettings.PASSWORD));
    connection.setNetworkTimeout(Runnable::run, Math.toIntExact(settings.stepBound().toMillis()));
    return connection;
  }
}
