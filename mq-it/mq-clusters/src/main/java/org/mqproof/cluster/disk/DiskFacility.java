package org.mqproof.cluster.disk;

import java.util.Optional;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.process.ClusterHome;
import org.mqproof.cluster.process.NodeFacility;

/** Gives each node a disk of its own. Thread-safe: no state. */
public final class DiskFacility implements NodeFacility {

  /** For {@link java.util.ServiceLoader}. */
  public DiskFacility() {}

  @Override
  public String name() {
    return "power";
  }

  @Override
  public String property() {
    return ClusterProvider.POWER_PROPERTY;
  }

  @Override
  public String without() {
    return "no power can be cut";
  }

  @Override
  public Optional<String> whyUnavailable() {
    return LoopDisks.whyUnavailable();
  }

  @Override
  public void addTo(ClusterHome home, int nodes) {
    home.add(new LoopDisks(home));
  }
}
