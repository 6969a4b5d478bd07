package org.mqproof.report;

import org.openjdk.jmh.results.RunResult;

/** Planted to break a rule of the architecture test. The report must not know JMH. */
public final class PlantedInReport {

  static final Class<?> FORBIDDEN = RunResult.class;

  private PlantedInReport() {}
}
