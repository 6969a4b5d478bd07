package org.mqproof.cluster;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Starts clusters of one system. Registered in {@code
 * META-INF/services/org.mqproof.cluster.ClusterProvider}. Thread-safe.
 */
public interface ClusterProvider {

  /** The system property that says what nodes are to be: {@value #PROCESSES}, or containers. */
  String NODES_PROPERTY = "mqproof.nodes";

  /** Nodes are child processes of this JVM. */
  String PROCESSES = "processes";

  /** Nodes are containers of this machine's Docker engine. */
  String CONTAINERS = "containers";

  /**
   * The system property that, if it is {@code true}, gives each node a network of its own instead
   * of the loopback interface, so that faults can be done to it. Needs Linux and root, {@code
   * iproute2}, and netem in the kernel or else {@code iptables} and {@code python3}; not every
   * system can.
   */
  String NETWORK_PROPERTY = "mqproof.network";

  /**
   * The system property that says whether nodes encrypt and ask clients who they are: {@value
   * #NONE}, or {@value #TLS}. Not every system can.
   */
  String SECURITY_PROPERTY = "mqproof.security";

  /** Nodes do not encrypt. */
  String NONE = "none";

  /**
   * Nodes take clients at ports with TLS, with certificates of an authority of their own, and check
   * what a client may do. The ports without are still there, for the cluster itself.
   */
  String TLS = "tls";

  /**
   * The system property that, if it is {@code true} or {@code xfs}, allows that disks are made:
   * file systems (ext4 or xfs) in files of the temporary directory, mounted where no other process
   * sees them. Nothing is mounted without it. Needs Linux and root, {@code python3}, {@code
   * mkfs.ext4} or {@code mkfs.xfs}, and loop devices.
   */
  String DISKS_PROPERTY = "mqproof.disks";

  /**
   * The system property that, if it is {@code true}, gives the data of each node a disk of its own,
   * so that its power can be cut. Needs {@value #DISKS_PROPERTY}; not every system can.
   */
  String POWER_PROPERTY = "mqproof.power";

  /**
   * The system's name, the same as its adapter's.
   *
   * @return lower case, for example {@code "kafka"}
   */
  String system();

  /**
   * What the nodes of its clusters are.
   *
   * @return {@value #PROCESSES} or {@value #CONTAINERS}
   */
  default String nodes() {
    return PROCESSES;
  }

  /**
   * Why a cluster cannot run here, told at once and without the network.
   *
   * @return empty if nothing is known to be missing; else one sentence with the reason and what to
   *     do about it
   */
  Optional<String> whyUnavailable();

  /**
   * Starts a cluster and waits until it stores messages on every node.
   *
   * @param tuning for numbers, or for tests
   * @param progress is given a line of text now and then while something is downloaded
   * @return a cluster that is ready, for the caller to close
   * @throws ClusterException if it could not be started within 120 s (RabbitMQ: 300 s), downloads
   *     not counted; nothing is left behind
   */
  Cluster start(Tuning tuning, Consumer<String> progress);

  /**
   * Starts a cluster as {@link #start(Tuning, Consumer)} does, with progress on the standard error
   * stream.
   *
   * @param tuning for numbers, or for tests
   * @return a cluster that is ready, for the caller to close
   * @throws ClusterException if it could not be started; nothing is left behind
   */
  default Cluster start(Tuning tuning) {
    return start(tuning, System.err::println);
  }

  /**
   * Finds a provider on the class path, of the kind of nodes that {@value #NODES_PROPERTY} asks
   * for.
   *
   * @param system a system's name
   * @return the provider of that system; one that is unavailable, and says so, if the system has no
   *     nodes of that kind
   * @throws IllegalArgumentException if there is none; lists the systems that there are
   */
  static ClusterProvider named(String system) {
    String nodes = System.getProperty(NODES_PROPERTY, PROCESSES);
    List<ClusterProvider> found =
        ServiceLoader.load(ClusterProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    List<ClusterProvider> ofSystem =
        found.stream().filter(provider -> provider.system().equals(system)).toList();
    if (ofSystem.isEmpty()) {
      throw new IllegalArgumentException(
          "no cluster of '%s' can be started; found %s"
              .formatted(
                  system,
                  found.stream()
                      .map(ClusterProvider::system)
                      .distinct()
                      .sorted()
                      .collect(Collectors.joining(", "))));
    }
    return ofSystem.stream()
        .filter(provider -> provider.nodes().equals(nodes))
        .findFirst()
        .orElseGet(() -> new NoSuchNodes(system, nodes));
  }
}
