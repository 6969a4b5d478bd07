package org.mqproof.jmh;

import org.mqproof.kafka.KafkaMqProvider;

/** Planted to break a rule of the architecture test. The benchmarks must not name an adapter. */
public final class PlantedInBenchmarks {

  static final Class<?> FORBIDDEN = KafkaMqProvider.class;

  private PlantedInBenchmarks() {}
}
