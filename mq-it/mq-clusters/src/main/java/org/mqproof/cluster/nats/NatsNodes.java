package org.mqproof.cluster.nats;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.security.Security;

/** How the nodes of a NATS cluster are configured and started. Thread-safe: no state. */
final class NatsNodes {

  static final int COUNT = 3;
  static final String USER = "mqproof";

  private NatsNodes() {}

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @param password of the user, and of the nodes among each other
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, Path program, String password, boolean syncAlways)
      throws IOException {
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      home.onDisk(Files.createDirectories(data(home, node)), node);
      Path configuration = directory.resolve("nats.conf");
      String tls = home.security(COUNT).map(NatsNodes::tls).orElse("");
      Files.writeString(configuration, configuration(home, node, password, syncAlways) + tls);
      home.add(
          NodeProcess.whenTold(List.of(program.toString(), "--config", configuration.toString()))
              .directory(directory.toFile()));
    }
  }

  private static Path data(ClusterHome home, int node) {
    return home.directory(node).resolve("data");
  }

  static String name(int node) {
    return "node-" + node;
  }

  static String address(ClusterHome home, int node) {
    return home.host(node) + ":" + home.port(node);
  }

  static String addresses(ClusterHome home) {
    return home.addresses(COUNT, home::port);
  }

  /** Where a node says whether it is up to date. */
  static String health(ClusterHome home, int node) {
    return "http://%s:%d/healthz".formatted(home.host(node), healthPort(home, node));
  }

  private static int healthPort(ClusterHome home, int node) {
    return home.port(2 * COUNT + node);
  }

  private static String route(ClusterHome home, int node, String before) {
    return "%s%s:%d".formatted(before, home.host(node), home.port(COUNT + node));
  }

  /** Everything that is not NATS' default, so that a reviewer needs nothing but this file. */
  static String configuration(ClusterHome home, int node, String password, boolean syncAlways) {
    String user = "nats://%s:%s@".formatted(USER, password);
    return """
        # Node %d of %d. Every setting that is not here has NATS' default.
        server_name: %s

        # One machine, seen by nobody else, the same ports for the cluster's life.
        listen: "%s"
        http: "%s:%d"

        jetstream {
          store_dir: "%s"%s
        }

        # The nodes know each other by this secret, and so does the client.
        %s
        cluster {
          name: mqproof
          listen: "%s"
          authorization { user: %s, password: "%s" }
          routes: [%s]
        }
        """
        .formatted(
            node,
            COUNT,
            name(node),
            address(home, node),
            home.host(node),
            healthPort(home, node),
            data(home, node),
            syncAlways
                ? "\n  # A write is confirmed when it is on the disk.\n  sync_interval: always"
                : "",
            authorization(password),
            route(home, node, ""),
            USER,
            password,
            IntStream.rangeClosed(1, COUNT)
                .filter(other -> other != node)
                .mapToObj(other -> '"' + route(home, other, user) + '"')
                .collect(Collectors.joining(", ")));
  }

  /** The second user may use one queue: look at it, send to it, claim and ack. */
  private static String authorization(String password) {
    return """
    authorization {
      users: [
        { user: %1$s, password: "%2$s" }
        { user: %3$s, password: "%2$s", permissions: {
          publish: { allow: [
            "%4$s", "$JS.API.STREAM.INFO.%4$s",
            "$JS.API.CONSUMER.NAMES.%4$s", "$JS.API.CONSUMER.INFO.%4$s.*",
            "$JS.API.CONSUMER.MSG.NEXT.%4$s.*", "$JS.ACK.%4$s.>"
          ] }
          subscribe: { allow: "_INBOX.>" }
        } }
      ]
    }
    """
        .formatted(USER, password, Access.LEAST_USER, Access.LEAST_QUEUE);
  }

  /** A client may encrypt, and then knows the node by its certificate. */
  private static String tls(Security security) {
    return """
        allow_non_tls: true
        tls { cert_file: "%s", key_file: "%s" }
        """
        .formatted(security.node().certificate(), security.node().key());
  }
}
