package org.mqproof.cluster.pulsar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.NodeProgram;
import org.mqproof.cluster.security.Security;
import org.mqproof.cluster.security.TestAuthority;

/** How the nodes of a Pulsar cluster are configured and started. Thread-safe: no state. */
final class PulsarNodes {

  static final int COUNT = 3;

  private static final String CLUSTER = "mqproof";

  /** Pulsar's client checks a certificate against the name that the machine has for an address. */
  private static final String SECURED_HOST = "localhost";

  /** What Pulsar's own start script opens to it. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.platform=ALL-UNNAMED",
          "--add-opens=java.base/sun.net=ALL-UNNAMED",
          "--add-opens=java.management/sun.management=ALL-UNNAMED",
          "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Dpulsar.allocator.exit_on_oom=true",
          "-Dzookeeper.preAllocSize=4096"); // KiB; 64 MiB per log file otherwise

  /** The collector of Pulsar's start script with half of its heap, as three share a machine. */
  private static final List<String> DEFAULT_JVM_OPTIONS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-XX:MaxDirectMemorySize=1g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=10",
          "-XX:+ParallelRefProcEnabled");

  /** Less work for the compiler and the collector, and a small part of the memory. */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of(
          "-Xms128m",
          "-Xmx384m",
          "-XX:MaxDirectMemorySize=256m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1");

  private static final String FAST_BOOKIE =
      """

      # Fail-over in seconds, for tests; left at BookKeeper's defaults where numbers are compared.
      zkTimeout=6000
      """;

  private static final String FAST_BROKER =
      """

      # Fail-over in seconds and a quick start, for tests; left at Pulsar's defaults where numbers are
      # compared. A dead broker's topics move when its session has expired.
      metadataStoreSessionTimeoutMillis=6000
      metadataStoreOperationTimeoutSeconds=10
      bookkeeperClientTimeoutInSeconds=4
      bookkeeperClientSpeculativeReadTimeoutInMillis=500
      topicLevelPoliciesEnabled=false
      systemTopicEnabled=false
      """;

  private PulsarNodes() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "Pulsar " + version,
        List.of("org.apache.pulsar:pulsar-broker:" + version, "org.slf4j:slf4j-simple:2.0.17"),
        // Its logs go where those of all nodes go; what only functions in Kubernetes need is large.
        List.of(
            "org.apache.logging.log4j:log4j-slf4j2-impl",
            "io.kubernetes:client-java",
            "io.kubernetes:client-java-api",
            "io.kubernetes:client-java-proto"),
        List.of("org.apache.pulsar:pulsar:" + version),
        progress);
  }

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, Tuning tuning) throws IOException {
    NodeProgram program = NodeProgram.of(PulsarNodeMain.class.getName(), jars);
    Optional<Security> security = home.security(COUNT);
    Optional<TestAuthority.Identity> identity =
        security.map(own -> own.authority().issue("broker", List.of(SECURED_HOST)));
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      home.onDisk(Files.createDirectories(data(home, node)), node);
      Path zooKeeper = write(directory.resolve("zoo.cfg"), zooKeeper(home, node, tuning));
      Path bookie = write(directory.resolve("bookkeeper.conf"), bookie(home, node, tuning));
      String text = broker(home, node, tuning);
      if (security.isPresent()) {
        text += secured(home, node, security.get().authority(), identity.orElseThrow());
      }
      Path broker = write(directory.resolve("broker.conf"), text);
      List<String> options = new ArrayList<>(JVM_OPTIONS);
      options.addAll(tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS);
      List<String> arguments =
          new ArrayList<>(
              List.of(
                  Integer.toString(node),
                  home.directory().resolve("formed").toString(),
                  Integer.toString(zooKeeperPort(home, node)),
                  zooKeeper.toString(),
                  bookie.toString(),
                  broker.toString(),
                  zooKeeperData(home, node).toString()));
      arguments.addAll(metadata(home));
      home.add(program, options, arguments);
    }
  }

  /** What a power cut takes: of the bookie, and of the member of the ensemble. */
  private static Path data(ClusterHome home, int node) {
    return home.directory(node).resolve("data");
  }

  private static Path zooKeeperData(ClusterHome home, int node) {
    return data(home, node).resolve("zookeeper");
  }

  private static Path write(Path file, String text) throws IOException {
    return Files.writeString(file, text, StandardCharsets.ISO_8859_1);
  }

  /** Where clients send and receive. */
  static String serviceUrl(ClusterHome home) {
    return "pulsar://" + addresses(home, PulsarNodes::brokerPort);
  }

  /** Where queues are created. */
  static String adminUrl(ClusterHome home) {
    return "http://" + addresses(home, PulsarNodes::webPort);
  }

  /** Where clients with TLS send and receive. */
  static String securedServiceUrl(ClusterHome home) {
    return "pulsar+ssl://" + securedAddresses(home, PulsarNodes::securedBrokerPort);
  }

  /** Where clients with TLS have queues created. */
  static String securedAdminUrl(ClusterHome home) {
    return "https://" + securedAddresses(home, PulsarNodes::securedWebPort);
  }

  private static String securedAddresses(ClusterHome home, Port port) {
    return ofEachNode(node -> SECURED_HOST + ":" + port.of(home, node), ",");
  }

  private static int securedBrokerPort(ClusterHome home, int node) {
    return zooKeeperPeerPort(home, node);
  }

  private static int securedWebPort(ClusterHome home, int node) {
    return zooKeeperElectionPort(home, node);
  }

  /** A cluster has no more ports: those of its nodes among themselves are of another address. */
  private static String peerHost(ClusterHome home) {
    return home.security().isPresent() ? "127.0.0.2" : "127.0.0.1";
  }

  private static String secured(
      ClusterHome home, int node, TestAuthority authority, TestAuthority.Identity identity) {
    return """

    # Clients come with TLS, and say who they are by a token or by a certificate; what comes without
    # either is the cluster itself, and may do anything, as the owner of all queues may.
    advertisedAddress=%8$s
    brokerServicePortTls=%1$d
    webServicePortTls=%2$d
    tlsCertificateFilePath=%3$s
    tlsKeyFilePath=%4$s
    tlsTrustCertsFilePath=%5$s
    authenticationEnabled=true
    authenticationProviders=%6$s.AuthenticationProviderToken,%6$s.AuthenticationProviderTls
    tokenPublicKey=%7$s
    anonymousUserRole=anonymous
    authorizationEnabled=true
    superUserRoles=anonymous,%9$s
    """
        .formatted(
            securedBrokerPort(home, node),
            securedWebPort(home, node),
            identity.certificate(),
            identity.key(),
            authority.file(),
            "org.apache.pulsar.broker.authentication",
            authority.publicKey().toUri(),
            SECURED_HOST,
            Security.USER);
  }

  static int brokerPort(ClusterHome home, int node) {
    return home.port(node);
  }

  static int webPort(ClusterHome home, int node) {
    return home.port(COUNT + node);
  }

  private static int bookiePort(ClusterHome home, int node) {
    return home.port(2 * COUNT + node);
  }

  private static int zooKeeperPort(ClusterHome home, int node) {
    return home.port(3 * COUNT + node);
  }

  private static int zooKeeperPeerPort(ClusterHome home, int node) {
    return home.port(4 * COUNT + node);
  }

  private static int zooKeeperElectionPort(ClusterHome home, int node) {
    return home.port(5 * COUNT + node);
  }

  private interface Port {
    int of(ClusterHome home, int node);
  }

  private static String addresses(ClusterHome home, Port port) {
    return ofEachNode(node -> "127.0.0.1:" + port.of(home, node), ",");
  }

  private static String ofEachNode(IntFunction<String> text, String separator) {
    return IntStream.rangeClosed(1, COUNT).mapToObj(text).collect(Collectors.joining(separator));
  }

  /** What Pulsar's program for it is told when the cluster is formed. */
  private static List<String> metadata(ClusterHome home) {
    String store = "zk:" + addresses(home, PulsarNodes::zooKeeperPort);
    return List.of(
        "--cluster",
        CLUSTER,
        "--metadata-store",
        store,
        "--configuration-metadata-store",
        store,
        "--web-service-url",
        adminUrl(home),
        "--broker-service-url",
        serviceUrl(home));
  }

  /** Everything that is not ZooKeeper's default. */
  static String zooKeeper(ClusterHome home, int node, Tuning tuning) {
    return """
    # Member %1$d of %2$d. The metadata of the cluster have three copies, of which two are awaited.
    tickTime=%3$d
    initLimit=60
    syncLimit=20
    dataDir=%4$s
    clientPort=%5$d
    clientPortAddress=127.0.0.1
    admin.enableServer=false
    %6$s
    """
        .formatted(
            node,
            COUNT,
            tuning == Tuning.FAST ? 500 : 2_000,
            zooKeeperData(home, node),
            zooKeeperPort(home, node),
            ofEachNode(
                member ->
                    "server.%d=%s:%d:%d"
                        .formatted(
                            member,
                            peerHost(home),
                            zooKeeperPeerPort(home, member),
                            zooKeeperElectionPort(home, member)),
                "\n"));
  }

  /**
   * Everything that is not BookKeeper's default, so that a reviewer needs nothing but this file.
   */
  static String bookie(ClusterHome home, int node, Tuning tuning) {
    String text =
        """
        # Bookie %1$d of %2$d. Every setting that is not here has BookKeeper's default.
        metadataServiceUri=zk+hierarchical://%3$s/ledgers

        # One machine, loopback only, the same ports for the cluster's life.
        bookiePort=%4$d
        advertisedAddress=127.0.0.1
        listeningInterface=lo
        allowLoopback=true
        httpServerEnabled=false

        # With true, BookKeeper's default, what a bookie has confirmed is on its disk.
        journalSyncData=%6$s
        journalDirectories=%5$s/journal
        ledgerDirectories=%5$s/ledgers

        # As in the file that Pulsar ships, with caches for a machine that is shared by three.
        ledgerStorageClass=org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage
        dbStorage_writeCacheMaxSizeMb=32
        dbStorage_readAheadCacheMaxSizeMb=32
        dbStorage_rocksDB_blockCacheSize=8388608
        journalMaxSizeMB=256
        journalPreAllocSizeMB=4
        nettyMaxFrameSizeBytes=5253120
        diskUsageThreshold=0.99

        # A node that was lost comes back with all it had: no second copy of it is made meanwhile.
        autoRecoveryDaemonEnabled=false
        """
            .formatted(
                node,
                COUNT,
                addresses(home, PulsarNodes::zooKeeperPort).replace(',', ';'),
                bookiePort(home, node),
                data(home, node),
                PulsarClusterProvider.journalSync());
    return tuning == Tuning.FAST ? text + FAST_BOOKIE : text;
  }

  /** Everything that is not Pulsar's default, so that a reviewer needs nothing but this file. */
  static String broker(ClusterHome home, int node, Tuning tuning) {
    String text =
        """
        # Broker %1$d of %2$d. Every setting that is not here has Pulsar's default.
        clusterName=%3$s
        metadataStoreUrl=zk:%4$s
        configurationMetadataStoreUrl=zk:%4$s

        # One machine, loopback only, the same ports for the cluster's life.
        bindAddress=127.0.0.1
        advertisedAddress=127.0.0.1
        brokerServicePort=%5$d
        webServicePort=%6$d

        # Two of the three bookies have an entry before it is confirmed, unless a namespace says
        # otherwise. These are Pulsar's defaults.
        managedLedgerDefaultEnsembleSize=2
        managedLedgerDefaultWriteQuorum=2
        managedLedgerDefaultAckQuorum=2

        # All brokers see the load of the same machine: a topic that moves gains nothing, and loses
        # its receivers.
        loadBalancerSheddingEnabled=false
        loadBalancerAutoBundleSplitEnabled=false
        """
            .formatted(
                node,
                COUNT,
                CLUSTER,
                addresses(home, PulsarNodes::zooKeeperPort),
                brokerPort(home, node),
                webPort(home, node));
    return tuning == Tuning.FAST ? text + FAST_BROKER : text;
  }
}
