package org.mqproof.cluster.kafka;

import org.mqproof.cluster.rabbitmq.RabbitClusterProvider;

/** Planted to break a rule of the packages' test. A system must not know another. */
public final class PlantedInKafka {

  static final Class<?> FORBIDDEN = RabbitClusterProvider.class;

  private PlantedInKafka() {}
}
