package org.mqproof.cluster;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Something that nodes can have of their own, which not every machine can give them: a network, a
 * disk. Registered in {@code META-INF/services/org.mqproof.cluster.Facility}. Thread-safe.
 */
public interface Facility {

  /**
   * Its name in the system property {@value TestCluster#REQUIRED_PROPERTY}.
   *
   * @return for example {@code "network"}
   */
  String name();

  /**
   * The system property that, if it is {@code true}, asks for it.
   *
   * @return for example {@value ClusterProvider#NETWORK_PROPERTY}
   */
  String property();

  /**
   * What cannot be had without it.
   *
   * @return for example {@code "no faults of the network"}
   */
  String without();

  /**
   * Why nodes cannot have it here.
   *
   * @return empty if they can; else one sentence
   */
  Optional<String> whyUnavailable();

  /**
   * Those on the class path.
   *
   * @return all of them, in no order
   */
  static List<Facility> all() {
    return ServiceLoader.load(Facility.class).stream().map(ServiceLoader.Provider::get).toList();
  }
}
