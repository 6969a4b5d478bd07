package com.example;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Mq;
import org.mqproof.conformance.BrokenQueue;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/** The kit on an adapter that is not MqProof's and is built on its support classes. */
class H2ConformanceTest extends MqConformance {

  @TempDir private static Path directory;

  private static Server server;

  /** Makes the database, and does what an adapter does not. */
  private static Connection administrator;

  @BeforeAll
  static void startServer() throws SQLException {
    server =
        Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-baseDir", directory.toString())
            .start();
    administrator = DriverManager.getConnection(url(address()), "sa", "");
  }

  @AfterAll
  static void stopServer() throws SQLException {
    administrator.close();
    server.stop();
  }

  private static String address() {
    return "127.0.0.1:" + server.getPort();
  }

  private static String url(String address) {
    return "jdbc:h2:tcp://%s/queues".formatted(address);
  }

  private static void execute(String sql) throws SQLException {
    try (Statement statement = administrator.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Mq connectTo(String address, String callBound) {
    return MqProvider.named("h2")
        .connect(
            Map.of("database", address + "/queues", "claim.period", "3s", "call.bound", callBound));
  }

  @Override
  protected Mq connect() {
    return connectTo(address(), "20s");
  }

  @Override
  protected Mq connectToDead() {
    return connectTo(deadEndpoint(), "4s");
  }

  @Override
  protected Mq connectToHung() {
    return connectTo(hungEndpoint(), "4s");
  }

  @Override
  protected Map<String, BrokenQueue> brokenQueues() {
    return Map.of(
        "STORAGE_TYPE=MEMORY",
        queue -> {
          create(queue);
          execute(
              "CREATE MEMORY TABLE moved NOT PERSISTENT AS SELECT * FROM \"%s\"".formatted(queue));
          execute("DROP TABLE \"%s\"".formatted(queue));
          execute("ALTER TABLE moved RENAME TO \"%s\"".formatted(queue));
          return () -> {};
        });
  }

  @Override
  protected Duration window() {
    return Duration.ofMillis(200);
  }

  private void create(String queue) {
    try (Mq mq = connect()) {
      mq.createQueue(queue);
    }
  }

  @Override
  protected int breakConnections() {
    try (Statement statement = administrator.createStatement();
        ResultSet sessions =
            statement.executeQuery(
                "SELECT ABORT_SESSION(session_id) FROM information_schema.sessions"
                    + " WHERE session_id <> SESSION_ID()")) {
      int ended = 0;
      while (sessions.next()) {
        ended++;
      }
      return ended;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
