package org.mqproof.cluster.kafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Containers;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.NodeProgram;
import org.mqproof.cluster.security.Security;
import org.mqproof.cluster.security.TestAuthority;

/** How the nodes of a Kafka cluster are configured and started. Thread-safe: no state. */
final class KafkaNodes {

  static final int COUNT = 3;

  /** Hundreds of lines at each start that repeat the properties file and hide what happened. */
  private static final String NO_SETTINGS_IN_LOG =
      "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn";

  /** The options of Kafka's own start script. */
  private static final List<String> DEFAULT_JVM_OPTIONS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=20",
          "-XX:InitiatingHeapOccupancyPercent=35",
          "-XX:+ExplicitGCInvokesConcurrent",
          NO_SETTINGS_IN_LOG);

  /**
   * Less work for the compiler and the collector: on two cores three nodes start a third sooner.
   */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of(
          "-Xms256m",
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          NO_SETTINGS_IN_LOG);

  private static final String FAST_PROPERTIES =
      """

      # Fail-over in seconds, for tests; left at Kafka's defaults where numbers are compared.
      # A broker's heartbeat interval stays: each heartbeat, connecting included, must end within it.
      broker.session.timeout.ms=6000
      # A broker that has not registered after a minute (the default) ends. On a starved machine all three
      # are slow together, and who waits for the cluster has a bound of its own.
      initial.broker.registration.timeout.ms=600000
      # The controllers' timeouts are twice Kafka's: where a busy disk takes a second for a flush they
      # elected each other every three seconds, and a node that came back never caught up.
      controller.quorum.fetch.timeout.ms=4000
      controller.quorum.election.timeout.ms=2000
      # Records that say nothing, each written and copied by three nodes, ten times as seldom.
      metadata.max.idle.interval.ms=5000
      replica.lag.time.max.ms=5000
      group.min.session.timeout.ms=1000
      group.consumer.min.session.timeout.ms=1000
      group.consumer.min.heartbeat.interval.ms=200
      group.consumer.session.timeout.ms=6000
      group.consumer.heartbeat.interval.ms=1000
      group.share.min.session.timeout.ms=1000
      group.share.min.heartbeat.interval.ms=200
      group.share.session.timeout.ms=6000
      group.share.heartbeat.interval.ms=1000
      group.share.min.record.lock.duration.ms=1000
      """;

  private KafkaNodes() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "Kafka " + version,
        List.of("org.apache.kafka:kafka_2.13:" + version, "org.slf4j:slf4j-simple:1.7.36"),
        // Command-line tools, which no broker needs; the artifact of 4.4.0 is not in every mirror.
        List.of("org.apache.kafka:kafka-tools-api"),
        progress);
  }

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, Tuning tuning, String clusterId)
      throws IOException {
    NodeProgram program = NodeProgram.of(KafkaNodeMain.class.getName(), jars);
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Path storage = Files.createDirectories(directory.resolve("data"));
      home.onDisk(storage, node);
      Path properties = directory.resolve("server.properties");
      String text = properties(home, node, tuning);
      Optional<Security> security = home.security(COUNT);
      if (security.isPresent()) {
        text = secured(text, home, node, security.orElseThrow());
      }
      Files.writeString(properties, text, StandardCharsets.ISO_8859_1);
      List<String> options =
          new ArrayList<>(tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS);
      security.ifPresent(
          own ->
              options.add(
                  "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls="
                      + own.authority().keySet().toUri()));
      home.add(
          program,
          options,
          List.of(properties.toString(), storage.toString(), Integer.toString(node), clusterId));
    }
  }

  /**
   * Adds the nodes as containers, without starting them.
   *
   * @param image with its tag, laid out as {@code apache/kafka} is
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, String image, Tuning tuning, String clusterId)
      throws IOException {
    Containers containers = Containers.in(home, COUNT);
    List<String> options = tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS;
    for (int node = 1; node <= COUNT; node++) {
      Path properties = Files.createDirectories(home.directory(node)).resolve("server.properties");
      Files.writeString(
          properties, containerProperties(home, node, tuning), StandardCharsets.ISO_8859_1);
      containers.add(
          image,
          Map.of(
              "CLUSTER_ID", clusterId,
              "KAFKA_HEAP_OPTS", String.join(" ", options.subList(0, 2)),
              "KAFKA_JVM_PERFORMANCE_OPTS", String.join(" ", options.subList(2, options.size()))),
          List.of(Containers.Copy.readable(properties, "/mnt/shared/config/server.properties")),
          List.of(),
          brokerPort(home, node));
    }
  }

  private static int brokerPort(ClusterHome home, int node) {
    return home.port(node);
  }

  private static int securedPort(ClusterHome home, int node, Access access) {
    return home.port((access == Access.CERTIFICATE ? 3 : 4) * COUNT + node);
  }

  /** Where clients find the nodes that come with TLS. */
  static String addresses(ClusterHome home, Access access) {
    return home.addresses(home.reachable(), node -> securedPort(home, node, access));
  }

  /** A node's properties with listeners for clients that TLS protects, and rights to check. */
  private static String secured(String plain, ClusterHome home, int node, Security security) {
    String more =
        ",SSL://%1$s:%2$d,SASL_SSL://%1$s:%3$d"
            .formatted(
                home.host(node),
                securedPort(home, node, Access.CERTIFICATE),
                securedPort(home, node, Access.PASSWORD));
    return plain
            .replaceAll("(?m)^(listeners=.*|advertised.listeners=.*)$", "$1" + more)
            .replaceAll("(?m)^(listener.security.protocol.map=.*)$", "$1,SSL:SSL,SASL_SSL:SASL_SSL")
        + """

        # Clients come with TLS: to one listener with a certificate, to the other with a password or a
        # token. All are mqproof, who may do what a user of queues does; what comes without TLS is the cluster
        # itself, and may do anything.
        ssl.keystore.type=PEM
        ssl.keystore.location=%1$s
        ssl.truststore.type=PEM
        ssl.truststore.location=%2$s
        listener.name.ssl.ssl.client.auth=required
        listener.name.ssl.ssl.principal.mapping.rules=RULE:^CN=([^,]*).*$/$1/
        sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
        listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=%3$s.scram.ScramLoginModule required;
        listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=%3$s.scram.ScramLoginModule required;
        listener.name.sasl_ssl.plain.sasl.jaas.config=%3$s.plain.PlainLoginModule required \
          user_%4$s="%5$s";
        listener.name.sasl_ssl.oauthbearer.sasl.jaas.config=%3$s.oauthbearer.OAuthBearerLoginModule \
          required;
        listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class=\
          %3$s.oauthbearer.OAuthBearerValidatorCallbackHandler
        sasl.oauthbearer.jwks.endpoint.url=%6$s
        sasl.oauthbearer.expected.issuer=%7$s
        sasl.oauthbearer.expected.audience=%8$s
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:ANONYMOUS
        """
            .formatted(
                escape(security.node().both()),
                escape(security.authority().file()),
                "org.apache.kafka.common.security",
                Security.USER,
                security.password(),
                security.authority().keySet().toUri(),
                TestAuthority.ISSUER,
                TestAuthority.AUDIENCE);
  }

  /** Where clients find the nodes that they reach, in Kafka's form. */
  static String addresses(ClusterHome home) {
    return home.addresses(home.reachable(), node -> brokerPort(home, node));
  }

  private static int controllerPort(ClusterHome home, int node) {
    return home.port(COUNT + node);
  }

  /** Everything that is not Kafka's default, so that a reviewer needs nothing but this file. */
  static String properties(ClusterHome home, int node, Tuning tuning) {
    String listeners =
        """
        # One machine, seen by nobody else, the same ports for the cluster's life.
        listeners=PLAINTEXT://%4$s:%1$d,%2$s://%4$s:%3$d
        advertised.listeners=PLAINTEXT://%4$s:%1$d
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,%2$s:PLAINTEXT
        inter.broker.listener.name=PLAINTEXT
        """
            .formatted(
                brokerPort(home, node),
                KafkaNodeMain.CONTROLLER_LISTENER,
                controllerPort(home, node),
                home.host(node));
    return properties(
        node,
        voters(n -> home.host(n) + ":" + controllerPort(home, n)),
        listeners,
        escape(home.directory(node).resolve("data")),
        tuning);
  }

  /** The same for a node in a container, where clients and other nodes come over two networks. */
  static String containerProperties(ClusterHome home, int node, Tuning tuning) {
    String listeners =
        """
        # Clients come to a port that is published on loopback, and stays for the cluster's life;
        # nodes find each other by names that only their own network has.
        listeners=PLAINTEXT://0.0.0.0:%1$d,NODES://0.0.0.0:%2$d,%3$s://0.0.0.0:%4$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d,NODES://%5$s:%2$d
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,NODES:PLAINTEXT,%3$s:PLAINTEXT
        inter.broker.listener.name=NODES
        """
            .formatted(
                brokerPort(home, node),
                home.port(2 * COUNT + node),
                KafkaNodeMain.CONTROLLER_LISTENER,
                controllerPort(home, node),
                Containers.alias(node));
    return properties(
        node,
        voters(n -> Containers.alias(n) + ":" + controllerPort(home, n)),
        listeners,
        "/var/lib/kafka/data",
        tuning);
  }

  private static String voters(IntFunction<String> address) {
    return IntStream.rangeClosed(1, COUNT)
        .mapToObj(node -> node + "@" + address.apply(node))
        .collect(Collectors.joining(","));
  }

  private static String properties(
      int node, String voters, String listeners, String data, Tuning tuning) {
    String text =
        """
        # Node %1$d of %2$d. Every setting that is not here has Kafka's default.
        process.roles=broker,controller
        node.id=%1$d
        controller.quorum.voters=%3$s

        %4$scontroller.listener.names=%5$s
        log.dirs=%6$s

        # With acks=all a confirmed record is on at least two of three nodes, and a node that was not
        # in sync never leads. As Kafka's documentation advises, no record waits for a disk flush:
        # durability is replication. A power loss of all three nodes at once can lose records.
        default.replication.factor=3
        min.insync.replicas=2
        unclean.leader.election.enable=false
        auto.create.topics.enable=false

        # Kafka's own topics, as safe as the others. Few partitions: one group uses only one of them,
        # and 50 of each (the default) cost seconds at every start.
        offsets.topic.replication.factor=3
        offsets.topic.num.partitions=3
        transaction.state.log.replication.factor=3
        transaction.state.log.min.isr=2
        transaction.state.log.num.partitions=3
        share.coordinator.state.topic.replication.factor=3
        share.coordinator.state.topic.min.isr=2
        share.coordinator.state.topic.num.partitions=3

        # A new group's first receiver starts at once instead of after 3 s.
        group.initial.rebalance.delay.ms=0
        """
            .formatted(node, COUNT, voters, listeners, KafkaNodeMain.CONTROLLER_LISTENER, data);
    return tuning == Tuning.FAST ? text + FAST_PROPERTIES : text;
  }

  /** A backslash is an escape in a properties file. */
  private static String escape(Path path) {
    return path.toString().replace("\\", "\\\\");
  }
}
