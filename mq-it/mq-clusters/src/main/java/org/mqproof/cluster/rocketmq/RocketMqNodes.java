package org.mqproof.cluster.rocketmq;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.NodeProgram;

/** How the nodes of a RocketMQ cluster are configured and started. Thread-safe: no state. */
final class RocketMqNodes {

  static final int COUNT = 3;

  /** The name of the cluster, and of the brokers that are replicas of each other. */
  static final String BROKER = "mqproof";

  /** Of each node; the first is the broker's second port, which is always two below its own. */
  private static final int PORTS = 5;

  private static final List<String> DEFAULT_JVM_OPTIONS =
      List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=1g");

  /** Less work for the compiler and the collector. */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** As RocketMQ's own start script has them for this Java. */
  private static final List<String> OPENED =
      List.of(
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED");

  private static final String FAST_CONTROLLER =
      """

      # Fail-over in seconds, for tests; left at RocketMQ's defaults where numbers are compared.
      scanNotActiveBrokerInterval=1000
      scanInactiveMasterInterval=1000
      """;

  private static final String FAST_BROKER =
      """

      # Fail-over in seconds, for tests; left at RocketMQ's defaults where numbers are compared.
      brokerHeartbeatInterval=500
      controllerHeartBeatTimeoutMills=3000
      syncControllerMetadataPeriod=1000
      syncBrokerMetadataPeriod=1000
      checkSyncStateSetPeriod=1000
      haMaxTimeSlaveNotCatchup=3000
      registerNameServerPeriod=10000
      """;

  /** RocketMQ has a logback of its own, whose files would be of no use when a node dies. */
  private static final String LOG =
      """
      <configuration>
        <appender name="err" class="ch.qos.logback.core.ConsoleAppender">
          <target>System.err</target>
          <encoder><pattern>%d{HH:mm:ss.SSS} %-5level [%thread] %logger{24} - %msg%n</pattern></encoder>
        </appender>
        <root level="WARN"><appender-ref ref="err"/></root>
      </configuration>
      """;

  private RocketMqNodes() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "RocketMQ " + version,
        List.of(
            "org.apache.rocketmq:rocketmq-broker:" + version,
            "org.apache.rocketmq:rocketmq-namesrv:" + version,
            "org.apache.rocketmq:rocketmq-controller:" + version),
        List.of(),
        progress);
  }

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, boolean flushSync, Tuning tuning)
      throws IOException {
    NodeProgram program = NodeProgram.of(RocketMqNodeMain.class.getName(), jars);
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      home.onDisk(Files.createDirectories(data(home, node)), node);
      Path nameServer = directory.resolve("namesrv.properties");
      Files.writeString(nameServer, nameServer(home, node, tuning), StandardCharsets.ISO_8859_1);
      Path broker = directory.resolve("broker.properties");
      Files.writeString(broker, broker(home, node, flushSync, tuning), StandardCharsets.ISO_8859_1);
      Path log = Files.writeString(directory.resolve("logback.xml"), LOG);
      List<String> options =
          new ArrayList<>(tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS);
      options.addAll(OPENED);
      options.add("-Duser.home=" + directory); // else it would write there
      options.add("-Drocketmq.home.dir=" + directory);
      options.add("-Drmq.logback.configurationFile=" + log);
      home.add(program, options, List.of(nameServer.toString(), broker.toString()));
    }
  }

  private static Path data(ClusterHome home, int node) {
    return home.directory(node).resolve("data");
  }

  private static int port(ClusterHome home, int node, int which) {
    return home.port((node - 1) * PORTS + which);
  }

  static String nameServer(ClusterHome home, int node) {
    return home.host(node) + ":" + port(home, node, 2);
  }

  static String broker(ClusterHome home, int node) {
    return home.host(node) + ":" + port(home, node, 3);
  }

  static String controller(ClusterHome home, int node) {
    return home.host(node) + ":" + port(home, node, 5);
  }

  /** Where clients find the name servers that they reach. */
  static String nameServers(ClusterHome home) {
    return home.addresses(home.reachable(), node -> port(home, node, 2));
  }

  private static String all(IntFunction<String> address) {
    return IntStream.rangeClosed(1, COUNT).mapToObj(address).collect(Collectors.joining(";"));
  }

  /** Everything that is not RocketMQ's default, so that a reviewer needs nothing but this file. */
  static String nameServer(ClusterHome home, int node, Tuning tuning) {
    String text =
        """
        # Node %1$d of %2$d, its name server and its controller. The rest has RocketMQ's default.
        # One machine, seen by nobody else, the same ports for the cluster's life.
        bindAddress=%3$s
        listenPort=%4$d

        # Three controllers elect one of them, which says who leads the brokers; never one that was
        # not in sync.
        enableControllerInNamesrv=true
        controllerDLegerGroup=mqproof
        controllerDLegerSelfId=n%1$d
        controllerDLegerPeers=%5$s
        controllerStorePath=%6$s/controller
        mappedFileSize=16777216
        enableElectUncleanMaster=false
        notifyBrokerRoleChanged=true
        """
            .formatted(
                node,
                COUNT,
                home.host(node),
                port(home, node, 2),
                all(n -> "n" + n + "-" + controller(home, n)),
                escape(data(home, node)));
    return tuning == Tuning.FAST ? text + FAST_CONTROLLER : text;
  }

  static String broker(ClusterHome home, int node, boolean flushSync, Tuning tuning) {
    String text =
        """
        # Node %1$d of %2$d, its broker. Every setting that is not here has RocketMQ's default.
        brokerClusterName=%3$s
        brokerName=%3$s
        brokerId=-1

        # One machine, seen by nobody else, the same ports for the cluster's life.
        bindAddress=%4$s
        brokerIP1=%4$s
        brokerIP2=%4$s
        listenPort=%5$d
        haListenPort=%6$d
        namesrvAddr=%7$s

        # The controllers say who leads. A confirm waits for every replica in sync; with fewer than
        # two nothing is stored.
        enableControllerMode=true
        controllerAddr=%8$s
        minInSyncReplicas=2
        inSyncReplicas=2
        allAckInSyncStateSet=true
        flushDiskType=%9$s

        # No message is deleted because the disk is rather full. Those older than fileReservedTime
        # are, 72 hours.
        cleanFileForciblyEnable=false

        # Nothing comes to be because somebody asks for it.
        autoCreateTopicEnable=false
        autoCreateSubscriptionGroup=false

        # What a claim is: a message of a timer.
        timerWheelEnable=true

        storePathRootDir=%10$s/store
        storePathCommitLog=%10$s/store/commitlog
        storePathEpochFile=%10$s/store/epoch

        # Small files: a queue that is made for a test has four of its own.
        mappedFileSizeCommitLog=67108864
        mappedFileSizeConsumeQueue=600000
        mappedFileSizeTimerLog=8388608
        """
            .formatted(
                node,
                COUNT,
                BROKER,
                home.host(node),
                port(home, node, 3),
                port(home, node, 4),
                all(n -> nameServer(home, n)),
                all(n -> controller(home, n)),
                flushSync ? "SYNC_FLUSH" : "ASYNC_FLUSH",
                escape(data(home, node)));
    return tuning == Tuning.FAST ? text + FAST_BROKER : text;
  }

  /** A backslash is an escape in a properties file. */
  private static String escape(Path path) {
    return path.toString().replace("\\", "\\\\");
  }
}
