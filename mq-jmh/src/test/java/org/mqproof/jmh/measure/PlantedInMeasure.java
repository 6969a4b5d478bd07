package org.mqproof.jmh.measure;

import org.mqproof.jmh.FlowBenchmark;
import org.openjdk.jmh.runner.Runner;

/** Planted to break rules of the architecture test. What measures must not know what it is for. */
public final class PlantedInMeasure {

  static final Class<?> FORBIDDEN = FlowBenchmark.class;
  static final Class<?> FORBIDDEN_TOO = Runner.class;

  private PlantedInMeasure() {}
}
