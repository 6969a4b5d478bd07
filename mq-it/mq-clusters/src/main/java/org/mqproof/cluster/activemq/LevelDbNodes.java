package org.mqproof.cluster.activemq;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.Java;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.process.Xml;

/**
 * ActiveMQ's replicated LevelDB store, with the ZooKeeper by which its nodes elect the active one.
 * Thread-safe: no state.
 */
final class LevelDbNodes {

  static final ActiveMqNodes.Store STORE =
      new ActiveMqNodes.Store(
          3,
          List.of( // the store unmaps its files by methods that Java has closed off since
              "--add-opens=java.base/java.nio=ALL-UNNAMED",
              "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
              "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"),
          LevelDbNodes::xml);

  /** The version that ActiveMQ's parent POM names. */
  private static final String SPRING_VERSION = "4.3.30.RELEASE";

  private static final String ZOOKEEPER_VERSION = "3.5.10";

  /** The binding of the time: the jars ask for version 1.7 of its interface. */
  private static final String LOGGING = "org.slf4j:slf4j-simple:1.7.36";

  private static final List<String> OTHER_LOGGING =
      List.of("org.slf4j:slf4j-log4j12", "log4j:log4j");

  private static final List<String> ZOOKEEPER_JVM_OPTIONS =
      List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private LevelDbNodes() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "ActiveMQ " + version,
        List.of(
            "org.apache.activemq:activemq-broker:" + version,
            "org.apache.activemq:activemq-client:" + version,
            "org.apache.activemq:activemq-jaas:" + version,
            "org.apache.activemq:activemq-leveldb-store:" + version,
            "org.apache.activemq:activemq-spring:" + version,
            // What the store's POM leaves to its users, or asks for in a version that fails.
            "org.apache.zookeeper:zookeeper:" + ZOOKEEPER_VERSION,
            "org.fusesource.hawtdispatch:hawtdispatch-transport:1.22",
            "org.fusesource.leveldbjni:leveldbjni-linux64:1.8",
            "org.linkedin:org.linkedin.util-core:1.4.0",
            "org.linkedin:org.linkedin.zookeeper-impl:1.4.0",
            "org.springframework:spring-context:" + SPRING_VERSION,
            LOGGING),
        OTHER_LOGGING,
        progress);
  }

  static List<Path> resolveZooKeeper(Consumer<String> progress) {
    return MavenClassPath.resolve(
        "ZooKeeper " + ZOOKEEPER_VERSION,
        List.of("org.apache.zookeeper:zookeeper:" + ZOOKEEPER_VERSION, LOGGING),
        OTHER_LOGGING,
        progress);
  }

  /**
   * Adds one ZooKeeper without starting it. One is enough where no fault is done to it: what is
   * tested here is what ActiveMQ's nodes make of each other's loss.
   *
   * @throws IOException if a file cannot be written
   */
  static NodeProcess addZooKeeper(ClusterHome home, List<Path> jars) throws IOException {
    Path directory = Files.createDirectories(home.directory().resolve("zookeeper"));
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    Path configuration = directory.resolve("zoo.cfg");
    Files.writeString(configuration, zooKeeperConfiguration(home), StandardCharsets.ISO_8859_1);
    List<String> options = new ArrayList<>(ZOOKEEPER_JVM_OPTIONS);
    options.addAll(Java.nodeOptions(temporary));
    ProcessBuilder command =
        Java.command(
            options,
            jars,
            "org.apache.zookeeper.server.ZooKeeperServerMain",
            List.of(configuration.toString()));
    return home.addService(
        "zookeeper",
        command
            .command(NodeProcess.whenTold(command.command()).command())
            .directory(directory.toFile()));
  }

  static int zooKeeperPort(ClusterHome home) {
    return home.port(2 * STORE.nodes() + 1);
  }

  /** What ZooKeeper ships as a sample, but for where it listens. */
  static String zooKeeperConfiguration(ClusterHome home) {
    return """
        # Every setting that is not here has ZooKeeper's default. The tick of 2 s makes it 4 s until a
        # silent node counts as dead: ActiveMQ asks for 2 s, and gets the least of two ticks.
        tickTime=2000
        clientPort=%d
        clientPortAddress=127.0.0.1
        admin.enableServer=false
        dataDir=%s
        """
        .formatted(zooKeeperPort(home), home.directory().resolve("zookeeper").resolve("data"));
  }

  /** A node's copy. */
  static Path store(ClusterHome home, int node) {
    return home.directory(node).resolve("store");
  }

  private static String xml(ClusterHome home, int node, Tuning tuning) {
    return """
              <!-- Each node has a copy. sync is ActiveMQ's default, written out because the
                   guarantee rests on it: a message is confirmed when the active node and one of
                   the other two have it in their page caches. That survives the death of any
                   process, and of all; not a power loss of two machines at once. -->
              <replicatedLevelDB directory="%s"
                                 replicas="%d"
                                 sync="quorum_mem"
                                 bind="tcp://127.0.0.1:%d"
                                 hostname="127.0.0.1"
                                 zkAddress="127.0.0.1:%d"
                                 zkPath="/mqproof"/>
        """
        .formatted(
            Xml.escape(store(home, node)),
            STORE.nodes(),
            home.port(STORE.nodes() + node),
            zooKeeperPort(home));
  }
}
