package org.mqproof.cluster.artemis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Containers;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.NodeProgram;
import org.mqproof.cluster.process.Xml;
import org.mqproof.cluster.security.Security;

/** How the nodes of an Artemis pair are configured and started. Thread-safe: no state. */
final class ArtemisNodes {

  static final int COUNT = 2;

  /** By name: it implements an interface of the broker, which clients do not have. */
  static final String NODE_MAIN = "org.mqproof.cluster.artemis.ArtemisNodeMain";

  /** The options that {@code artemis create} writes, but for those of its web console. */
  private static final List<String> DEFAULT_JVM_OPTIONS =
      List.of(
          "-XX:AutoBoxCacheMax=20000",
          "-XX:+UseG1GC",
          "-XX:+UseStringDeduplication",
          "-Xms512m",
          "-Xmx2g",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

  /** Less work for the compiler and the collector. */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of(
          "-Xms256m",
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");

  private static final String FAST_JOURNAL =
      """

                <!-- A backup that comes back is sent whole files, however little is in them. On a slow
                     disk it writes one of the default's 10 MiB for longer than the cluster connection
                     below lets a node be silent, is taken for dead, and begins anew for ever. -->
                <journal-file-size>1M</journal-file-size>""";

  private static final String FAST_CLUSTER_CONNECTION =
      """

                <!-- Notices a silent node in seconds, for tests; left at Artemis' defaults where
                     numbers are compared. -->
                <check-period>500</check-period>
                <connection-ttl>3000</connection-ttl>
                <retry-interval>200</retry-interval>""";

  private static final String INSTANCE_IN_CONTAINER = "/var/lib/artemis-instance/";

  /** What is there replaces what the image makes, once, at the first start of a container. */
  private static final String OVERRIDE_IN_CONTAINER = INSTANCE_IN_CONTAINER + "etc-override/";

  /** Read at each start. */
  private static final String XML_IN_CONTAINER = "/mnt/mqproof/broker.xml";

  /** Where both containers see the directory of the lock manager. */
  private static final String LOCKS_IN_CONTAINER = "/mnt/mqproof-locks";

  /** The image's own also starts a web console. */
  private static final String BOOTSTRAP =
      """
      <broker xmlns="http://activemq.apache.org/schema">
        <jaas-security domain="activemq"/>
        <server configuration="file:%s"/>
      </broker>
      """
          .formatted(XML_IN_CONTAINER);

  /** As the image's own, but with the time in milliseconds first, and to no file. */
  private static final String LOGGING =
      """
      rootLogger.level=INFO
      rootLogger.appenderRef.console.ref=console
      logger.audit.name=org.apache.activemq.audit
      logger.audit.level=OFF
      appender.console.type=Console
      appender.console.name=console
      appender.console.layout.type=PatternLayout
      appender.console.layout.pattern=%d{UNIX_MILLIS} %d %-5level [%logger] %msg%n
      """;

  /** What a user of queues may do; to ask for the state of the backup is part of "manage". */
  private static final List<String> RIGHTS =
      List.of(
          "createAddress",
          "createDurableQueue",
          "createNonDurableQueue",
          "deleteAddress",
          "deleteDurableQueue",
          "deleteNonDurableQueue",
          "send",
          "consume",
          "browse",
          "manage");

  private ArtemisNodes() {}

  /**
   * The journal, as the system properties of {@link ArtemisClusterProvider} ask for it.
   *
   * @param type {@code "NIO"} or {@code "MAPPED"}
   * @param datasync whether a write is awaited on the disk
   */
  record Journal(String type, boolean datasync) {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    String group = group(version);
    return MavenClassPath.resolve(
        "Artemis " + version,
        List.of(
            group + ":artemis-server:" + version,
            group + ":artemis-journal:" + version,
            group + ":artemis-core-client:" + version,
            "org.slf4j:slf4j-simple:2.0.17"),
        List.of(),
        progress);
  }

  /**
   * The vendor's whole distribution, for one jar of it: the lock manager is part of every
   * installation, but not every mirror of Maven Central has it as an artifact of its own.
   */
  static Path resolveDistribution(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
            "the distribution of Artemis " + version,
            List.of(group(version) + ":apache-artemis:tar.gz:bin:" + version),
            List.of("*:*"),
            progress)
        .get(0);
  }

  /** Until 2.44 Artemis was a part of ActiveMQ; 2.50 came next. */
  private static String group(String version) {
    return version.matches("2\\.[0-4]?\\d\\..*") ? "org.apache.activemq" : "org.apache.artemis";
  }

  /**
   * Writes the configuration of both nodes and adds the nodes, without starting them.
   *
   * @param jars the class path of the broker, lock manager included
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, Journal journal, Tuning tuning)
      throws IOException {
    NodeProgram program = NodeProgram.of(NODE_MAIN, jars);
    Files.createDirectories(locks(home));
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      home.onDisk(data(home, node), node);
      Path xml = directory.resolve("broker.xml");
      List<String> arguments = new ArrayList<>(List.of(xml.toString()));
      String text = xml(home, node, journal, tuning);
      Optional<Security> security = home.security(COUNT);
      if (security.isPresent()) {
        text = secured(text, home, node, security.orElseThrow());
        Path users = directory.resolve("users.properties");
        Files.writeString(
            users,
            "%1$s=%3$s\n%2$s=%3$s\n"
                .formatted(Security.USER, Access.LEAST_USER, security.orElseThrow().password()));
        arguments.add(users.toString());
      }
      Files.writeString(xml, text, StandardCharsets.UTF_8);
      List<String> options = new ArrayList<>(jvmOptions(tuning));
      // As in the vendor's own logging configuration: a line per operation would be measured too.
      options.add("-Dorg.slf4j.simpleLogger.log.org.apache.activemq.audit=off");
      home.add(program, options, arguments);
    }
  }

  /**
   * Adds the nodes as containers, without starting them.
   *
   * @param image with its tag, laid out as {@code apache/artemis} is
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, String image, Journal journal, Tuning tuning)
      throws IOException {
    Containers containers = Containers.in(home, COUNT);
    Containers.Shared locks = Containers.Shared.make(locks(home), LOCKS_IN_CONTAINER);
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      Path xml = directory.resolve("broker.xml");
      Files.writeString(xml, containerXml(home, node, journal, tuning), StandardCharsets.UTF_8);
      Path bootstrap = Files.writeString(directory.resolve("bootstrap.xml"), BOOTSTRAP);
      Path logging = Files.writeString(directory.resolve("log4j2.properties"), LOGGING);
      containers.add(
          image,
          Map.of(
              "EXTRA_ARGS",
              "--no-autotune --no-web", // both are in files of ours
              "JAVA_ARGS",
              String.join(" ", jvmOptions(tuning))),
          List.of(
              Containers.Copy.readable(xml, XML_IN_CONTAINER),
              Containers.Copy.readable(bootstrap, OVERRIDE_IN_CONTAINER + "bootstrap.xml"),
              Containers.Copy.readable(logging, OVERRIDE_IN_CONTAINER + "log4j2.properties")),
          List.of(locks),
          home.port(node));
    }
  }

  private static List<String> jvmOptions(Tuning tuning) {
    return tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS;
  }

  /** Where clients find the nodes, separated by a comma. */
  static String addresses(ClusterHome home) {
    return home.addresses(COUNT, home::port);
  }

  static String address(ClusterHome home, int node) {
    return home.host(node) + ":" + home.port(node);
  }

  /** Where clients find the nodes with TLS. */
  static String addresses(ClusterHome home, Access access) {
    return home.addresses(COUNT, node -> securedPort(home, node, access));
  }

  private static int securedPort(ClusterHome home, int node, Access access) {
    return home.port((access == Access.CERTIFICATE ? 3 : 4) * COUNT + node);
  }

  /** A node's configuration with acceptors for clients that TLS protects, and rights to check. */
  private static String secured(String plain, ClusterHome home, int node, Security security) {
    String tls =
        "sslEnabled=true;keyStoreType=PKCS12;keyStorePath=%s;keyStorePassword=%s;"
                .formatted(
                    Xml.escape(security.node().store()), security.authority().storePassword())
            + "trustStoreType=PKCS12;trustStorePath=%s;trustStorePassword=%s"
                .formatted(security.authority().trustStore(), security.authority().storePassword());
    String acceptors =
        """
              <!-- Clients come with TLS and a password: to one acceptor with a certificate as well, which
                   names nobody. -->
              <acceptor name="certificate">tcp://%1$s:%2$d?protocols=CORE;needClientAuth=true;%4$s</acceptor>
              <acceptor name="password">tcp://%1$s:%3$d?protocols=CORE;%4$s</acceptor>
            </acceptors>
            <security-settings>
              <security-setting match="#">
        %5$s      </security-setting>
              <security-setting match="%6$s">
        %7$s      </security-setting>
            </security-settings>
        """
            .formatted(
                home.host(node),
                securedPort(home, node, Access.CERTIFICATE),
                securedPort(home, node, Access.PASSWORD),
                tls,
                rights(Set.of()),
                Access.LEAST_QUEUE,
                rights(Set.of("send", "consume")));
    return plain
        .replaceAll(
            "(?s)<!-- One machine, (.*) No users: nothing else reaches it.", "<!-- One machine, $1")
        .replace(
            "<security-enabled>false</security-enabled>",
            "<security-enabled>true</security-enabled>")
        .replace("    </acceptors>\n", acceptors);
  }

  /** All of them for users, and some for the one who has no others. */
  private static String rights(Set<String> least) {
    return RIGHTS.stream()
        .map(
            right ->
                "        <permission type=\"%s\" roles=\"%s%s\"/>\n"
                    .formatted(
                        right,
                        ArtemisNodeMain.ROLE,
                        least.contains(right) ? "," + Access.LEAST_USER : ""))
        .collect(Collectors.joining());
  }

  private static Path data(ClusterHome home, int node) {
    return home.directory(node).resolve("data");
  }

  /** On no disk whose power is cut: on several hosts this would be ZooKeeper. */
  private static Path locks(ClusterHome home) {
    return home.directory().resolve("locks");
  }

  /** Everything that is not Artemis' default, so that a reviewer needs nothing but this file. */
  static String xml(ClusterHome home, int node, Journal journal, Tuning tuning) {
    String address = address(home, node);
    return xml(
        node,
        new Addresses(address, address(home, COUNT + 1 - node), List.of(address)),
        data(home, node),
        locks(home),
        journal,
        tuning);
  }

  /**
   * The same for a node in a container, where clients and the other node come over two networks.
   */
  static String containerXml(ClusterHome home, int node, Journal journal, Tuning tuning) {
    return xml(
        node,
        new Addresses(
            addressForNodes(home, node),
            addressForNodes(home, COUNT + 1 - node),
            List.of("0.0.0.0:" + home.port(node), "0.0.0.0:" + portForNodes(home, node))),
        Path.of(INSTANCE_IN_CONTAINER, "data"),
        Path.of(LOCKS_IN_CONTAINER),
        journal,
        tuning);
  }

  private static String addressForNodes(ClusterHome home, int node) {
    return Containers.alias(node) + ":" + portForNodes(home, node);
  }

  /**
   * A port of its own, so that clients are not told of addresses that they cannot resolve: the
   * cluster connection belongs to the acceptor of its port.
   */
  private static int portForNodes(ClusterHome home, int node) {
    return home.port(COUNT + node);
  }

  /**
   * Addresses of a node.
   *
   * @param own by which the other node finds it
   * @param other by which it finds the other node
   * @param listening where it listens
   */
  private record Addresses(String own, String other, List<String> listening) {

    String acceptors() {
      return listening.stream()
          .map("<acceptor name=\"core-%1$s\">tcp://%1$s?protocols=CORE</acceptor>"::formatted)
          .collect(Collectors.joining("\n              "));
    }
  }

  private static String xml(
      int node, Addresses addresses, Path data, Path locks, Journal journal, Tuning tuning) {
    return """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Node %1$d of %2$d. Every setting that is not here has Artemis' default. -->
        <configuration xmlns="urn:activemq">
          <core xmlns="urn:activemq:core">
            <name>node-%1$d</name>

            <!-- One machine, seen by nobody else, the same port for the cluster's life. It is open only
                 while the node is active. No users: nothing else reaches it. -->
            <security-enabled>false</security-enabled>
            <connectors>
              <connector name="this">tcp://%3$s</connector>
              <connector name="other">tcp://%4$s</connector>
            </connectors>
            <acceptors>
              %10$s
            </acceptors>

            <bindings-directory>%5$s/bindings</bindings-directory>
            <journal-directory>%5$s/journal</journal-directory>
            <large-messages-directory>%5$s/large-messages</large-messages-directory>
            <paging-directory>%5$s/paging</paging-directory>
            <node-manager-lock-directory>%5$s/lock</node-manager-lock-directory>

            <!-- A durable message is confirmed when the journal of the active node has it on disk
                 (with datasync) and the backup, if one is in sync, has it in memory; the backup
                 writes it a moment later. -->
            <journal-type>%6$s</journal-type>
            <journal-datasync>%7$s</journal-datasync>

            <!-- What "artemis create" writes: it also measures the disk and derives how long the
                 journal gathers writes before it syncs. The built-in 3.3 ms is meant for a disk
                 that turns, and would be most of the time of every send. -->
            <journal-min-files>2</journal-min-files>
            <journal-pool-files>10</journal-pool-files>
            <journal-buffer-timeout>100000</journal-buffer-timeout>%11$s

            <!-- Two equal nodes share one identity. Whoever has the newest data and gets the lock
                 is active, the other one replicates it. The sequence beside the lock counts how
                 often the active node went on alone, so that a node that missed something never
                 becomes active, whatever the order of restarts: with plain replication and
                 check-for-active-server a primary that comes back after its backup has died would
                 serve its old data. Voting instead would need three pairs. On one host the lock is
                 a file, which the kernel frees when the process dies; on several it would be
                 ZooKeeper. -->
            <ha-policy>
              <replication>
                <primary>
                  <coordination-id>mqproof-pair-one</coordination-id>
                  <manager>
                    <class-name>org.apache.activemq.artemis.lockmanager.file.FileBasedLockManager</class-name>
                    <properties>
                      <property key="locks-folder" value="%8$s"/>
                    </properties>
                  </manager>
                </primary>
              </replication>
            </ha-policy>
            <cluster-user>mqproof-cluster</cluster-user>
            <cluster-password>mqproof</cluster-password>
            <cluster-connections>
              <cluster-connection name="pair">
                <connector-ref>this</connector-ref>%9$s
                <static-connectors>
                  <connector-ref>other</connector-ref>
                </static-connectors>
              </cluster-connection>
            </cluster-connections>

            <address-settings>
              <address-setting match="#">
                <!-- A message is not thrown away because receivers died while they held it. -->
                <max-delivery-attempts>-1</max-delivery-attempts>
                <!-- A queue lives until it is deleted, empty and unused or not. -->
                <auto-delete-queues>false</auto-delete-queues>
                <auto-delete-addresses>false</auto-delete-addresses>
                <!-- Nor does whoever misspells a queue's name create one. -->
                <auto-create-queues>false</auto-create-queues>
                <auto-create-addresses>false</auto-create-addresses>
              </address-setting>
            </address-settings>
          </core>
        </configuration>
        """
        .formatted(
            node,
            COUNT,
            addresses.own(),
            addresses.other(),
            Xml.escape(data),
            journal.type(),
            journal.datasync(),
            Xml.escape(locks),
            tuning == Tuning.FAST ? FAST_CLUSTER_CONNECTION : "",
            addresses.acceptors(),
            tuning == Tuning.FAST ? FAST_JOURNAL : "");
  }
}
