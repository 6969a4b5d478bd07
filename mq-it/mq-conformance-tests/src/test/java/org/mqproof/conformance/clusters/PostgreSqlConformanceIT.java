package org.mqproof.conformance.clusters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.BrokenQueue;

/** A primary and two standbys, of which one confirms each commit. */
class PostgreSqlConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.POSTGRESQL;

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  @Nested
  @DisplayName("PostgreSQL, synchronous commit on")
  class On extends ClusterConformance {
    On() {
      super(CLUSTER, Map.of("claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return Map.of(
          "persistence=unlogged",
          queue -> {
            try (Mq mq = connect()) {
              mq.createQueue(queue);
            }
            execute("ALTER TABLE mqproof.queue_%d SET UNLOGGED".formatted(table(queue)));
            return () -> {};
          },
          "synchronous_standby_names=empty",
          queue -> {
            standbys("SET synchronous_standby_names = ''", names -> names.isEmpty());
            return () -> standbys("RESET synchronous_standby_names", names -> !names.isEmpty());
          });
    }
  }

  /** Changes the primary's configuration, and waits until new connections have it. */
  private static void standbys(String change, Predicate<String> changed) throws Exception {
    execute("ALTER SYSTEM " + change);
    execute("SELECT pg_reload_conf()");
    long start = System.nanoTime();
    while (!changed.test(query("SHOW synchronous_standby_names"))) {
      assertThat(System.nanoTime() - start).as(change).isLessThan(30_000_000_000L);
    }
  }

  private static long table(String queue) throws SQLException {
    return Long.parseLong(
        query("SELECT id FROM mqproof.queues WHERE name = '%s'".formatted(queue)));
  }

  private static String query(String sql) throws SQLException {
    try (Connection connection = primary();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).as(sql).isTrue();
      return row.getString(1);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = primary();
        Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private static Connection primary() throws SQLException {
    Map<String, String> settings = CLUSTER.settings(Access.PLAIN);
    String url =
        "jdbc:postgresql://%s/postgres?targetServerType=primary"
            .formatted(settings.get("addresses"));
    return DriverManager.getConnection(url, settings.get("username"), settings.get("password"));
  }

  @Nested
  @DisplayName("PostgreSQL, synchronous commit remote-apply")
  @Variant(of = On.class)
  @Tag("full") // the same statements: only what a crash leaves differs
  class RemoteApply extends ClusterConformance {
    RemoteApply() {
      super(CLUSTER, Map.of("synchronous.commit", "remote-apply", "claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.CERTIFICATE;
    }
  }

  @Nested
  @DisplayName("PostgreSQL, synchronous commit local")
  @Variant(of = On.class)
  @Tag("full") // the same statements: only what a crash leaves differs
  class Local extends ClusterConformance {
    Local() {
      super(CLUSTER, Map.of("synchronous.commit", "local", "claim.period", "10s"));
    }
  }

  @Nested
  @DisplayName("PostgreSQL, synchronous commit off")
  @Variant(of = On.class)
  @Tag("full") // the same statements: only what a crash leaves differs
  class Off extends ClusterConformance {
    Off() {
      super(CLUSTER, Map.of("synchronous.commit", "off", "claim.period", "10s"));
    }
  }

  @Nested
  @DisplayName("PostgreSQL, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, true);
    }

    @Override
    String wrongPasswordSays() {
      return "password authentication failed";
    }

    @Override
    String missingRightSays() {
      return "permission denied for ";
    }

    @Override
    String rightToCreate() {
      return "permission denied for database postgres";
    }

    @Override
    void grantLeastRights(Mq owner) throws SQLException {
      execute(
          """
          GRANT USAGE ON SCHEMA mqproof TO %1$s;
          GRANT SELECT ON mqproof.queues TO %1$s;
          GRANT SELECT, INSERT, UPDATE, DELETE ON mqproof.queue_%2$d TO %1$s;
          """
              .formatted(Access.LEAST_USER, table(Access.LEAST_QUEUE)));
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            String url =
                "jdbc:postgresql://%s/postgres?targetServerType=primary&sslmode=verify-full&sslrootcert=%s"
                    .formatted(
                        setting(settings, "addresses"),
                        URLEncoder.encode(setting(settings, "tls.ca.file"), UTF_8));
            String insert = "INSERT INTO mqproof.queue_%d (body) VALUES (?)";
            try (Connection connection =
                    DriverManager.getConnection(
                        url, setting(settings, "username"), setting(settings, "password"));
                PreparedStatement statement =
                    connection.prepareStatement(insert.formatted(table(queue)))) {
              statement.setBytes(1, body);
              assertThat(statement.executeUpdate()).isOne();
            }
          });
    }

    @Override
    boolean connectsAgain() {
      return false;
    }

    @Test
    @DisplayName("no TLS where the server wants it")
    void noTls() {
      refused(
          Access.PASSWORD,
          settings -> {
            settings.keySet().removeIf(key -> key.startsWith("tls"));
            return settings;
          },
          "no encryption: set tls=true");
    }
  }
}
