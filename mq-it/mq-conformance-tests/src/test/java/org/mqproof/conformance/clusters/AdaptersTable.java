package org.mqproof.conformance.clusters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.mqproof.Mq;
import org.mqproof.Traits;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** The table of adapters says what each mode declares when it is connected to its real system. */
final class AdaptersTable {

  private static final Path DOCUMENT = Path.of("..", "..", "docs", "adapters.md");

  /** Systems of which the machine has some version; the document names the one last seen. */
  private static final Set<String> FROM_THE_PATH = Set.of("mongodb", "nats", "rabbitmq", "valkey");

  private static final List<Map<String, String>> SEND_MODES =
      List.of(Map.of("send", "transacted"), Map.of("send", "async"), Map.of("send", "per-message"));

  /** The modes of each system that the conformance kit is run against. */
  private static final Map<String, List<Map<String, String>>> MODES =
      Map.ofEntries(
          Map.entry("activemq", SEND_MODES),
          Map.entry("artemis", SEND_MODES),
          Map.entry("eventstore", List.of(Map.of(), Map.of("appends.in.flight", "1"))),
          Map.entry(
              "kafka",
              List.of(
                  Map.of("acks", "all"),
                  Map.of("acks", "1"),
                  Map.of("acks", "all", "receive", "share"))),
          Map.entry("memory", List.of(Map.of())),
          Map.entry(
              "mongodb",
              List.of(
                  Map.of("write.concern", "majority"),
                  Map.of("write.concern", "w1"),
                  Map.of("write.concern", "majority", "claim", "one"))),
          Map.entry("nats", List.of(Map.of("replicas", "3"), Map.of("replicas", "1"))),
          Map.entry(
              "postgresql",
              Stream.of("on", "remote-apply", "local", "off")
                  .map(commit -> Map.of("synchronous.commit", commit))
                  .toList()),
          Map.entry("pulsar", List.of(Map.of())),
          Map.entry(
              "rabbitmq",
              List.of(
                  Map.of("queue.type", "quorum"),
                  Map.of("queue.type", "quorum", "confirm", "transactions"),
                  Map.of("queue.type", "classic", "queue.version", "2"),
                  Map.of("queue.type", "classic-mirrored"))),
          Map.entry(
              "rocketmq",
              List.of(
                  Map.of("flush", "sync"),
                  // The cluster awaits the disk.
                  Map.of("flush", "async"))),
          Map.entry("sqs", List.of(Map.of("sdk", "v2"))),
          Map.entry("valkey", List.of(Map.of("confirm", "wait"), Map.of("confirm", "waitaof"))));

  private AdaptersTable() {}

  /** Of a system whose cluster runs. */
  static void check(TestCluster cluster) throws IOException {
    check(
        cluster.system(),
        cluster.version() + ", nodes: " + cluster.nodes(),
        cluster.settings(Access.PLAIN));
  }

  /** Of a system that is in this JVM. */
  static void checkInside(String system) throws IOException {
    check(system, "in this JVM", Map.of());
  }

  /**
   * Of a system whose server did not run: an adapter declares its traits once it is connected, if
   * only to one that knows no method.
   */
  static void checkNotRun(String system) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    Server nobody =
        NettyServerBuilder.forAddress(new InetSocketAddress(loopback, 0)).build().start();
    try {
      String address = loopback.getHostAddress() + ":" + nobody.getPort();
      check(system, "protocol double; no server ran", Map.of("addresses", address, "tls", "false"));
    } finally {
      Server unused = nobody.shutdownNow();
    }
  }

  private static void check(String system, String version, Map<String, String> where)
      throws IOException {
    String rows = rows(system, version, where);
    String document = Files.readString(DOCUMENT, UTF_8);
    String begin = "<!-- modes of " + system + " -->\n";
    String end = "<!-- end -->\n";
    int from = document.indexOf(begin) + begin.length();
    int to = document.indexOf(end, from);
    assertThat(from).as("docs/adapters.md has no place for the modes of %s", system).isPositive();
    if (Boolean.getBoolean("adapters.update")) {
      document = document.substring(0, from) + rows + document.substring(to);
      Files.writeString(DOCUMENT, document, UTF_8);
      to = document.indexOf(end, from);
    }
    assertThat(comparable(system, document.substring(from, to)))
        .as("docs/adapters.md differs from the traits: run this test with -Dadapters.update=true")
        .isEqualTo(comparable(system, rows));
  }

  private static String comparable(String system, String rows) {
    return FROM_THE_PATH.contains(system)
        ? rows.replaceAll("\\| [0-9.]+, nodes", "| any, nodes")
        : rows;
  }

  private static String rows(String system, String version, Map<String, String> where) {
    StringBuilder rows =
        new StringBuilder(
            "| Mode | Version | A confirmed message survives | A power cut of all nodes | Copies |"
                + " Kept for | A claim ends by itself | After a receiver's death back within |"
                + " Released to | Extendable | Order | Acks | Headers | Largest body |"
                + " Most in flight | Calls end within |\n"
                + "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (Map<String, String> mode : MODES.getOrDefault(system, List.of())) {
      Map<String, String> settings = new TreeMap<>(mode);
      settings.putAll(where);
      try (Mq mq = MqProvider.named(system).connect(settings)) {
        rows.append(row(version, mq.traits()));
      }
    }
    return rows.toString();
  }

  private static String row(String version, Traits traits) {
    List<String> cells = new ArrayList<>();
    cells.add("`" + traits.mode() + "`");
    cells.add(version);
    cells.add(survives(traits));
    cells.add(lower(traits.powerCut()));
    cells.add(Integer.toString(traits.copies()));
    cells.add(traits.retention().map(AdaptersTable::text).orElse("no limit"));
    cells.add(traits.claimPeriod().map(period -> "after " + text(period)).orElse("never"));
    cells.add(text(traits.redeliveryBound()));
    cells.add(lower(traits.release()));
    cells.add(traits.extendable() ? "yes" : "no");
    cells.add(lower(traits.ordering()));
    cells.add(lower(traits.ackMode()));
    cells.add(headers(traits));
    cells.add(text(traits.largestBodyBytes(), " bytes"));
    cells.add(text(traits.mostInFlight(), ""));
    cells.add(text(traits.callBound()));
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String survives(Traits traits) {
    if (traits.durable()) {
      return traits.replicationAwaited()
          ? "a crash of every node, the loss of one"
          : "a crash of every node";
    }
    return traits.replicationAwaited() ? "the loss of one node" : "no fault for certain";
  }

  private static String headers(Traits traits) {
    return traits.mostHeaders() == 0
        ? "none"
        : "%s, %s"
            .formatted(
                text(traits.mostHeaders(), ""), text(traits.largestHeadersBytes(), " bytes"));
  }

  private static String text(int number, String unit) {
    return number == Integer.MAX_VALUE
        ? "no limit"
        : String.format(Locale.ROOT, "%,d", number) + unit;
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() / 1_000.0 + " s";
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
