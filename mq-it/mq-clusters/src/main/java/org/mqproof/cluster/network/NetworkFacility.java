package org.mqproof.cluster.network;

import java.util.Optional;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeFacility;

/** Gives each node a network of its own. Thread-safe: no state. */
public final class NetworkFacility implements NodeFacility {

  /** For {@link java.util.ServiceLoader}. */
  public NetworkFacility() {}

  @Override
  public String name() {
    return "network";
  }

  @Override
  public String property() {
    return ClusterProvider.NETWORK_PROPERTY;
  }

  @Override
  public String without() {
    return "no faults of the network";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return Network.whyUnavailable();
  }

  @Override
  public void addTo(ClusterHome home, int nodes) {
    Network unused = Network.in(home, nodes);
  }
}
