package org.mqproof.conformance.clusters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.valkey.ValkeyClusterProvider;
import org.mqproof.conformance.BrokenQueue;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.params.XAddParams;

/** A primary and two replicas, of which one confirms. */
class ValkeyConformanceIT {

  @RegisterExtension
  static final TestCluster CLUSTER =
      TestCluster.of(
          "valkey",
          Map.of(
              ClusterProvider.SECURITY_PROPERTY,
              ClusterProvider.TLS,
              ValkeyClusterProvider.FSYNC_PROPERTY,
              ValkeyClusterProvider.ALWAYS));

  @Test
  void theTableOfAdaptersHasItsModes() throws IOException {
    AdaptersTable.check(CLUSTER);
  }

  @Nested
  @DisplayName("Valkey, a replica's memory confirms")
  class Wait extends ClusterConformance {
    Wait() {
      super(CLUSTER, Map.of("claim.period", "10s"));
    }

    @Override
    protected Access access() {
      return Access.PASSWORD;
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return Map.of(
          "maxmemory-policy=allkeys-lru",
          queue -> {
            configure("maxmemory", MORE_THAN_THERE_IS, "maxmemory-policy", "allkeys-lru");
            return () -> configure("maxmemory-policy", "noeviction", "maxmemory", "0");
          });
    }
  }

  /** So nothing is evicted. */
  private static final String MORE_THAN_THERE_IS = "65536gb";

  /** Configures each node: any may be the primary. */
  private static void configure(String... namesAndValues) {
    Map<String, String> settings = CLUSTER.settings(Access.PLAIN);
    for (String address : List.of(WaysIn.setting(settings, "addresses").split(","))) {
      DefaultJedisClientConfig user =
          DefaultJedisClientConfig.builder()
              .user(WaysIn.setting(settings, "username"))
              .password(WaysIn.setting(settings, "password"))
              .build();
      try (Jedis node = new Jedis(HostAndPort.from(address), user)) {
        assertThat(node.configSet(namesAndValues)).isEqualTo("OK");
      }
    }
  }

  @Nested
  @DisplayName("Valkey, the disks of the primary and of a replica confirm")
  @Variant(of = Wait.class)
  @Tag("full") // the same commands but for the one that waits
  class WaitAof extends ClusterConformance {
    WaitAof() {
      super(CLUSTER, Map.of("confirm", "waitaof", "claim.period", "10s"));
    }

    @Override
    protected Map<String, BrokenQueue> brokenQueues() {
      return Map.of(
          "appendfsync=everysec",
          queue -> {
            configure("appendfsync", "everysec");
            return () -> configure("appendfsync", "always");
          });
    }
  }

  @Nested
  @DisplayName("Valkey, the ways in")
  class Ways extends WaysIn {
    Ways() {
      super(CLUSTER, false);
    }

    @Override
    String wrongPasswordSays() {
      return "WRONGPASS";
    }

    @Override
    String missingRightSays() {
      return "NOPERM";
    }

    @Override
    String rightToCreate() {
      return "no permissions to run the 'xgroup|create' command";
    }

    @Override
    Optional<VendorsClient> client() {
      return Optional.of(
          (settings, directory, queue, body) -> {
            Path trusted = trustStore(settings, directory);
            DefaultJedisClientConfig own =
                DefaultJedisClientConfig.builder()
                    .user(setting(settings, "username"))
                    .password(setting(settings, "password"))
                    .sslOptions(
                        SslOptions.builder()
                            .sslVerifyMode(SslVerifyMode.FULL)
                            .truststore(trusted.toFile(), STORE_PASSWORD.toCharArray())
                            .build())
                    .build();
            int primaries = 0;
            for (String address : setting(settings, "addresses").split(",", -1)) {
              try (Jedis node = new Jedis(HostAndPort.from(address), own)) {
                if (node.info("replication").contains("role:master")) {
                  primaries++;
                  byte[] stream = ("mqproof:queue:" + queue).getBytes(UTF_8);
                  var unused =
                      node.xadd(stream, Map.of("body".getBytes(UTF_8), body), new XAddParams());
                }
              }
            }
            assertThat(primaries).isOne();
          });
    }

    @Override
    boolean connectsAgain() {
      return false;
    }
  }
}
