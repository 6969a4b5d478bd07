package org.mqproof.conformance.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Mq;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;

/** A primary and two standbys, of which one confirms each commit. */
class PostgreSqlConformanceIT {

  @RegisterExtension static final TestCluster CLUSTER = Secured.POSTGRESQL;

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
    void grantLeastRights(Mq owner) throws SQLException {
      Map<String, String> settings = CLUSTER.settings(Access.PLAIN);
      String url =
          "jdbc:postgresql://%s/postgres?targetServerType=primary"
              .formatted(settings.get("addresses"));
      try (Connection connection =
              DriverManager.getConnection(url, settings.get("username"), settings.get("password"));
          Statement statement = connection.createStatement()) {
        long table;
        try (ResultSet row =
            statement.executeQuery(
                "SELECT id FROM mqproof.queues WHERE name = '%s'".formatted(Access.LEAST_QUEUE))) {
          assertThat(row.next()).isTrue();
          table = row.getLong(1);
        }
        boolean unused =
            statement.execute(
                """
                GRANT USAGE ON SCHEMA mqproof TO %1$s;
                GRANT SELECT ON mqproof.queues TO %1$s;
                GRANT SELECT, INSERT, UPDATE, DELETE ON mqproof.queue_%2$d TO %1$s;
                """
                    .formatted(Access.LEAST_USER, table));
      }
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
