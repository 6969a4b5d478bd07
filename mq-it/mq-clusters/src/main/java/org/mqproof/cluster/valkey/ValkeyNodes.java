package org.mqproof.cluster.valkey;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.security.Security;

/** How the nodes of a Valkey cluster are configured and started. Immutable. */
final class ValkeyNodes {

  static final int COUNT = 3;
  static final String USER = "mqproof";

  /** To connect, to send, to receive, and to confirm. */
  private static final String LEAST_COMMANDS =
      "+client|setname +client|setinfo +info +config|get +script|load +evalsha"
          + " +xadd +wait +waitaof"
          + " +xreadgroup +xautoclaim +xclaim +xpending +xrange +xack +xdel +set"
          + " +xinfo|consumers +xgroup|delconsumer";

  private final ClusterHome home;
  private final String password;
  private final String fsync;

  ValkeyNodes(ClusterHome home, String password, String fsync) {
    this.home = home;
    this.password = password;
    this.fsync = fsync;
  }

  /**
   * Adds the nodes, without starting them and without their configuration.
   *
   * @throws IOException if a directory cannot be made
   */
  void add(Path program) throws IOException {
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      home.onDisk(Files.createDirectories(data(node)), node);
      boolean unused = home.security(COUNT).isPresent(); // makes what is asked for
      home.add(
          NodeProcess.whenTold(List.of(program.toString(), file(node).toString()))
              .directory(directory.toFile()));
    }
  }

  String password() {
    return password;
  }

  private Path data(int node) {
    return home.directory(node).resolve("data");
  }

  private Path file(int node) {
    return home.directory(node).resolve("valkey.conf");
  }

  int tlsPort(int node) {
    return home.port(COUNT + node);
  }

  /** Writes the configuration with which a node begins as the primary, or as its replica. */
  void configure(int node, int primary) throws IOException {
    String tls = home.security(COUNT).map(security -> tls(security, node)).orElse("");
    String follow =
        node == primary
            ? ""
            : "replicaof %s %d\n".formatted(home.host(primary), home.port(primary));
    Files.writeString(file(node), configuration(node) + tls + follow);
  }

  /** Everything that is not Valkey's default, so that a reviewer needs nothing but this file. */
  String configuration(int node) {
    return """
    # Node %1$d of %2$d. Every setting that is not here has Valkey's default.

    # One machine, seen by nobody else, the same ports for the cluster's life.
    bind %3$s
    port %4$d
    dir %5$s

    # The only user, of clients and of replicas. Nobody is "default", but as that one a node reads
    # its log: without its rights it would leave out every transaction.
    user default off resetpass ~* &* +@all
    user %6$s on >%7$s ~* &* +@all
    primaryuser %6$s
    primaryauth %7$s

    # Every write goes to a log, and no snapshots beside it.
    appendonly yes
    appendfsync %8$s
    save ""

    # A primary that lost its replicas takes no writes after some seconds.
    min-replicas-to-write 1

    # A replica that was away comes back at once, and finds what it missed.
    repl-diskless-sync-delay 0
    repl-backlog-size 64mb
    """
        .formatted(
            node, COUNT, home.host(node), home.port(node), data(node), USER, password, fsync);
  }

  /**
   * Beside the plain port; a client may have a certificate. The second user has what it takes to
   * send to and receive from a queue that is there.
   */
  private String tls(Security security, int node) {
    return """
    tls-port %d
    tls-cert-file %s
    tls-key-file %s
    tls-ca-cert-file %s
    tls-auth-clients optional
    user %s on >%s ~mqproof:queue:%s ~mqproof:acked-again -@all %s
    """
        .formatted(
            tlsPort(node),
            security.node().certificate(),
            security.node().key(),
            security.authority().file(),
            Access.LEAST_USER,
            password,
            Access.LEAST_QUEUE,
            LEAST_COMMANDS);
  }
}
