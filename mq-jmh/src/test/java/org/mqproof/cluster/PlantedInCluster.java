package org.mqproof.cluster;

import org.mqproof.kafka.KafkaMqProvider;

/** Planted to break a rule of the architecture test. A cluster must not know an adapter. */
public final class PlantedInCluster {

  static final Class<?> FORBIDDEN = KafkaMqProvider.class;

  private PlantedInCluster() {}
}
