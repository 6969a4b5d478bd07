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

  /**
   * The system's name, the same as its adapter's.
   *
   * @return lower case, for example {@code "kafka"}
   */
  String system();

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
   * @throws ClusterException if it could not be started within 120 s, downloads not counted;
   *     nothing is left behind
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
   * Finds a provider on the class path.
   *
   * @param system a system's name
   * @return the provider of that system
   * @throws IllegalArgumentException if there is none; lists the systems that there are
   */
  static ClusterProvider named(String system) {
    List<ClusterProvider> found =
        ServiceLoader.load(ClusterProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    return found.stream()
        .filter(provider -> provider.system().equals(system))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no cluster of '%s' can be started; found %s"
                        .formatted(
                            system,
                            found.stream()
                                .map(ClusterProvider::system)
                                .sorted()
                                .collect(Collectors.joining(", ")))));
  }
}
