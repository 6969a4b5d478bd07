package org.mqproof.conformance;

import org.mqproof.cluster.Cluster;

/** Planted to break a rule of the architecture test. The kit must not know clusters. */
public final class PlantedInKit {

  static final Class<?> FORBIDDEN = Cluster.class;

  private PlantedInKit() {}
}
