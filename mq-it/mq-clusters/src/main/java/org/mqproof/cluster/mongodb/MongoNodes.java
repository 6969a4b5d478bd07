package org.mqproof.cluster.mongodb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.mqproof.cluster.Tuning;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeProcess;
import org.mqproof.cluster.security.Security;

/** How the nodes of a MongoDB replica set are configured and started. Thread-safe: no state. */
final class MongoNodes {

  static final int COUNT = 3;
  static final String REPLICA_SET = "mqproof";
  static final String USER = "mqproof";

  private static final String FAST_CONFIGURATION =
      """

      setParameter:
        # For tests: no file of measurements every second, on a disk that is short of time.
        diagnosticDataCollectionEnabled: false
        # For tests: a node that was killed takes back what came after its last checkpoint, of which
        # there is one every 60 s by default, in a time that grows with the square of it.
        syncdelay: 5
        # For tests: with w1 nothing waits for the copies, and on a busy machine a primary is held back
        # by default only when it is 5 s ahead (half of 10); who then waits for them, waits long.
        flowControlTargetLagSeconds: 2
        # For tests, which open thousands of connections: the least rounds of hashing that MongoDB
        # takes for a password, a third of the default.
        scramSHA256IterationCount: 5000
      """;

  private MongoNodes() {}

  /**
   * Writes the configuration of every node and adds the nodes, without starting them.
   *
   * @param key the nodes' secret
   * @throws IOException if a file cannot be written
   */
  static void addTo(ClusterHome home, Path mongod, String key, Tuning tuning) throws IOException {
    Files.createFile(
        keyFile(home),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(keyFile(home), key);
    for (int node = 1; node <= COUNT; node++) {
      Path directory = Files.createDirectories(home.directory(node));
      home.onDisk(Files.createDirectories(directory.resolve("data")), node);
      Path configuration = directory.resolve("mongod.conf");
      String text = configuration(home, node, tuning);
      Optional<Security> security = home.security(COUNT);
      Files.writeString(
          configuration, security.isPresent() ? secured(text, security.orElseThrow()) : text);
      home.add(
          NodeProcess.whenTold(List.of(mongod.toString(), "--config", configuration.toString()))
              .directory(directory.toFile()));
    }
  }

  static int port(ClusterHome home, int node) {
    return home.port(node);
  }

  static String address(ClusterHome home, int node) {
    return home.host(node) + ":" + port(home, node);
  }

  static String addresses(ClusterHome home) {
    return home.addresses(COUNT, node -> port(home, node));
  }

  private static Path keyFile(ClusterHome home) {
    return home.directory().resolve("key");
  }

  /**
   * A node's configuration with TLS, which it then also speaks with the other nodes; the cluster
   * itself may still ask without.
   */
  private static String secured(String plain, Security security) {
    return plain.replace(
        "  unixDomainSocket:\n",
        """
          tls:
            mode: preferTLS
            certificateKeyFile: %s
            CAFile: %s
            # Who has none gives a password.
            allowConnectionsWithoutCertificates: true
          unixDomainSocket:
        """
            .formatted(security.node().both(), security.authority().file()));
  }

  /** Everything that is not MongoDB's default, so that a reviewer needs nothing but this file. */
  static String configuration(ClusterHome home, int node, Tuning tuning) {
    String text =
        """
        # Node %d of %d. Every setting that is not here has MongoDB's default.

        # One machine, seen by nobody else, the same ports for the cluster's life.
        net:
          bindIp: %s
          port: %d
          unixDomainSocket:
            enabled: false

        storage:
          dbPath: %s
          wiredTiger:
            engineConfig:
              # By default each node would take half of the machine's memory.
              cacheSizeGB: 0.5

        replication:
          replSetName: %s
          # By default a twentieth of the free disk, and never less than this.
          oplogSizeMB: 990

        # The nodes know each other by this secret, and clients need a password.
        security:
          authorization: enabled
          keyFile: %s
        """
            .formatted(
                node,
                COUNT,
                home.host(node),
                port(home, node),
                home.directory(node).resolve("data"),
                REPLICA_SET,
                keyFile(home));
    return tuning == Tuning.FAST ? text + FAST_CONFIGURATION : text;
  }
}
