package org.mqproof.kafka;

import org.mqproof.memory.MemoryMqProvider;

/** Planted to break a rule of the architecture test. An adapter must not know another. */
public final class PlantedInKafka {

  static final Class<?> FORBIDDEN = MemoryMqProvider.class;

  private PlantedInKafka() {}
}
