package org.mqproof.jmh.measure;

import org.mqproof.jmh.FlowBenchmark;

/** Planted to break a rule of the architecture test. What measures must not know what it is for. */
public final class PlantedInMeasure {

  static final Class<?> FORBIDDEN = FlowBenchmark.class;

  private PlantedInMeasure() {}
}
