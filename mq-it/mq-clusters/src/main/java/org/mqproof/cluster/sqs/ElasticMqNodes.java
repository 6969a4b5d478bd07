package org.mqproof.cluster.sqs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.container.Containers;
import org.mqproof.cluster.process.Choice;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.cluster.process.NodeProgram;

/** How an ElasticMQ node is configured and started. Thread-safe: no state. */
final class ElasticMqNodes {

  /** The region in which ElasticMQ says its queues are. */
  static final String REGION = "elasticmq";

  private static final List<String> DEFAULT_JVM_OPTIONS = List.of("-Xms64m", "-Xmx512m");

  /**
   * Less work for the collector; and the best compiler, which at its own thresholds takes a third
   * of all time, for what runs hot only: the thresholds are 8 to 33 times HotSpot's own, as those
   * of the conformance kit's processes.
   */
  private static final List<String> FAST_JVM_OPTIONS =
      List.of(
          "-Xms64m",
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-XX:Tier4InvocationThreshold=60000",
          "-XX:Tier4MinInvocationThreshold=20000",
          "-XX:Tier4CompileThreshold=120000",
          "-XX:Tier4BackEdgeThreshold=800000");

  private ElasticMqNodes() {}

  static List<Path> resolve(String version, Consumer<String> progress) {
    return MavenClassPath.resolve(
        "ElasticMQ " + version,
        List.of("org.elasticmq:elasticmq-server_2.13:" + version, "org.slf4j:slf4j-simple:2.0.17"),
        // Its own logging; every node here logs through slf4j-simple.
        List.of("ch.qos.logback:logback-classic", "ch.qos.logback:logback-core"),
        progress);
  }

  /**
   * Writes the configuration and adds the node, without starting it.
   *
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, List<Path> jars, Tuning tuning) throws IOException {
    Path directory = Files.createDirectories(home.directory(1));
    home.onDisk(data(home), 1);
    Path configuration = directory.resolve("elasticmq.conf");
    Files.writeString(configuration, configuration(home), StandardCharsets.UTF_8);
    List<String> options = new ArrayList<>(jvmOptions(tuning));
    options.add("-Dconfig.file=" + configuration);
    home.add(NodeProgram.of(ElasticMqNodeMain.class.getName(), jars), options, List.of());
  }

  /**
   * Adds the node as a container, without starting it.
   *
   * @param image with its tag, laid out as {@code softwaremill/elasticmq} is
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, String image, Tuning tuning) throws IOException {
    Path configuration = Files.createDirectories(home.directory(1)).resolve("elasticmq.conf");
    // Written by whatever user the image has; gone with the container, and not before.
    Files.writeString(configuration, configuration(home, "0.0.0.0", Path.of("/tmp/queues")));
    Containers.in(home, 1)
        .add(
            image,
            Map.of("JAVA_OPTS", String.join(" ", jvmOptions(tuning))),
            List.of(Containers.Copy.readable(configuration, "/opt/elasticmq.conf")),
            List.of(),
            home.port(1));
  }

  private static List<String> jvmOptions(Tuning tuning) {
    return tuning == Tuning.FAST ? FAST_JVM_OPTIONS : DEFAULT_JVM_OPTIONS;
  }

  static String endpoint(ClusterHome home) {
    return "http://%s:%d".formatted(home.host(1), home.port(1));
  }

  /** Everything that is not ElasticMQ's default, so that a reviewer needs nothing but this file. */
  static String configuration(ClusterHome home) {
    return configuration(home, home.host(1), data(home).resolve("queues"));
  }

  private static Path data(ClusterHome home) {
    return home.directory(1).resolve("data");
  }

  private static String storage(Path queues) {
    String storage =
        Choice.of(ElasticMqClusterProvider.STORAGE_PROPERTY, "disk", "delayed", "memory");
    if (storage.equals("memory")) {
      return "# Queues and messages are in memory, and end with the process.\n";
    }
    if (storage.equals("delayed")) {
      return """
          # Queues and messages are in a database on disk. It writes half a second after it has
          # committed, as is its default: a crash loses what was confirmed.
          """
          + database("jdbc:h2:file:" + queues);
    }
    return """
        # Queues and messages are in a database on disk. By default that database writes half a
        # second after it has committed, so that a crash loses what was confirmed; WRITE_DELAY=0
        # makes it write first. It does not await the disk itself: a power loss can lose messages.
        """
        + database("jdbc:h2:file:%s;WRITE_DELAY=0".formatted(queues));
  }

  private static String database(String uri) {
    return """
        messages-storage {
          enabled = true
          driver-class = "org.h2.Driver"
          uri = "%s"
          username = ""
          password = ""
        }
        """
        .formatted(uri);
  }

  private static String configuration(ClusterHome home, String bound, Path queues) {
    return """
        # Every setting that is not here has ElasticMQ's default.
        include classpath("application.conf")

        # Its application.conf logs every message.
        pekko.loglevel = "INFO"

        # One machine, seen by nobody else, the same port for the cluster's life; the address is part of
        # each queue's URL.
        node-address {
          protocol = http
          host = "%2$s"
          port = %1$d
          context-path = ""
        }
        rest-sqs {
          enabled = true
          bind-hostname = "%3$s"
          bind-port = %1$d
          # ElasticMQ's default, written out because the tests rest on it: the limits of SQS hold.
          sqs-limits = strict
        }
        rest-stats.enabled = false

        %4$s"""
        .formatted(home.port(1), home.host(1), bound, storage(queues));
  }
}
