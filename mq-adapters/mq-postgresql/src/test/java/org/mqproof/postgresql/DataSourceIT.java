package org.mqproof.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.Settings;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections that the caller's own pool has made. */
class DataSourceIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("postgresql");

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String QUEUE = "data-source";

  private static final String SESSION =
      "SELECT concat_ws(' ', current_setting('synchronous_commit'),"
          + " current_setting('statement_timeout'), current_setting('enable_seqscan'),"
          + " current_setting('default_transaction_isolation'),"
          + " current_setting('default_transaction_read_only'),"
          + " current_setting('transaction_isolation'),"
          + " current_setting('transaction_read_only'))";

  /** A pool whose connections are anything but what the adapter needs. */
  private static HikariDataSource pool(int connections) {
    PostgreSqlSettings settings =
        new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), CLUSTER.settings()));
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        "jdbc:postgresql://%s/%s?targetServerType=primary"
            .formatted(
                settings.get(PostgreSqlSettings.ADDRESSES),
                settings.get(PostgreSqlSettings.DATABASE)));
    config.setUsername(settings.get(PostgreSqlSettings.USERNAME));
    config.setPassword(settings.get(PostgreSqlSettings.PASSWORD));
    config.setMaximumPoolSize(connections);
    config.setAutoCommit(false);
    config.setConnectionInitSql(
        "SET synchronous_commit = local; SET statement_timeout = '7s';"
            + " SET default_transaction_isolation = 'serializable';"
            + " SET default_transaction_read_only = on");
    return new HikariDataSource(config);
  }

  @Test
  void messagesGoThroughItAndItsConnectionsComeBackAsTheyWere() throws Exception {
    try (HikariDataSource pool = pool(4)) {
      try (Mq mq = new PostgreSqlMqProvider().connect(Map.of(), pool)) {
        mq.createQueue(QUEUE);
        try (Sender sender = mq.sender(QUEUE);
            Receiver receiver = mq.receiver(QUEUE)) {
          sender.send(IntStream.range(0, 100).mapToObj(i -> new Message(new byte[10])).toList());
          List<Delivery> deliveries = new ArrayList<>();
          long deadline = System.nanoTime() + PATIENCE.toNanos();
          while (deliveries.size() < 100 && System.nanoTime() - deadline < 0) {
            deliveries.addAll(receiver.receive(100, Duration.ofSeconds(1)));
          }
          assertThat(deliveries).hasSize(100);
          receiver.ack(deliveries).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        mq.deleteQueue(QUEUE);
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      List<Connection> all = new ArrayList<>();
      for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
        Connection connection = pool.getConnection();
        all.add(connection);
        assertAsItWas(connection);
      }
      for (Connection connection : all) {
        connection.close();
      }
    }
  }

  @Test
  void aRequestHasWhatTheSettingsAskForAndIsOneTransaction() throws Exception {
    PostgreSqlSettings settings =
        new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), Map.of()));
    try (HikariDataSource pool = pool(1);
        Server server = new Server(settings, pool)) {
      server.use(
          connection -> {
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(connection.getNetworkTimeout()).isEqualTo(7_500);
            assertThat(ask(connection, SESSION))
                .isEqualTo("on 5625ms off serializable on read committed off");
            return true;
          });
    }
  }

  @Test
  void aConnectionThatFailedIsOfNoUseToOthers() throws Exception {
    PostgreSqlSettings settings =
        new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), Map.of()));
    try (HikariDataSource pool = pool(1);
        Server server = new Server(settings, pool)) {
      List<String> processes = new ArrayList<>();
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(
              () ->
                  server.use(
                      connection -> {
                        processes.add(ask(connection, "SELECT pg_backend_pid()"));
                        return ask(connection, "SELECT no_such_thing");
                      }))
          .withMessageContaining("no_such_thing");
      try (Connection next = pool.getConnection()) {
        assertThat(ask(next, "SELECT pg_backend_pid()")).isNotIn(processes);
        assertAsItWas(next);
      }
    }
  }

  private static void assertAsItWas(Connection connection) throws SQLException {
    assertThat(connection.getAutoCommit()).isFalse();
    assertThat(connection.getNetworkTimeout()).isZero();
    connection.commit(); // what the pool itself began when it set all this
    assertThat(ask(connection, SESSION)).isEqualTo("local 7s on serializable on serializable on");
  }

  /** A server that takes connections and says nothing, behind a source that would wait for ever. */
  @Test
  void aSourceThatNeverAnswersHoldsNobodyUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      List<Socket> clients = new ArrayList<>();
      Thread server = new Thread(() -> acceptAll(silent, clients), "silent server");
      server.setDaemon(true);
      server.start();
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setURL("jdbc:postgresql://127.0.0.1:%d/any".formatted(silent.getLocalPort()));
      Map<String, String> settings = Map.of("call.bound", "8s", "connect.bound", "1s");
      long start = System.nanoTime();
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> new PostgreSqlMqProvider().connect(settings, source).close())
          .withMessageStartingWith("PostgreSQL of the given DataSource: cannot connect: ");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(16));
      synchronized (clients) {
        for (Socket client : clients) {
          client.close(); // ends the driver's wait
        }
      }
    }
  }

  private static void acceptAll(ServerSocket silent, List<Socket> clients) {
    try {
      while (true) {
        Socket client = silent.accept();
        synchronized (clients) {
          clients.add(client);
        }
      }
    } catch (IOException e) {
      if (!silent.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"addresses", "username", "password", "password.file", "tls", "tls.ca.file"})
  void whatTheSourceDecidesIsRefused(String setting) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new PostgreSqlMqProvider()
                    .connect(Map.of(setting, "any"), new PGSimpleDataSource()))
        .withMessage(
            "postgresql: setting %s is of no use with a DataSource, which decides that itself"
                .formatted(setting));
  }

  private static String ask(Connection connection, String question) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(question)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }
}
