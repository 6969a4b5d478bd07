package org.mqproof.cluster;

import java.util.Optional;
import java.util.function.Consumer;

/** Stands for a system that has no nodes of the kind that is asked for. Immutable. */
record NoSuchNodes(String system, String nodes) implements ClusterProvider {

  @Override
  public Optional<String> whyUnavailable() {
    return Optional.of("its nodes cannot be %s: leave out -D%s".formatted(nodes, NODES_PROPERTY));
  }

  @Override
  public Cluster start(Tuning tuning, Consumer<String> progress) {
    throw new ClusterException("no cluster of %s: %s".formatted(system, whyUnavailable().get()));
  }
}
