package org.mqproof.report;

import org.mqproof.report.lint.LintCommand;
import org.openjdk.jmh.results.RunResult;

/** Planted to break rules of the architecture test. The report knows neither JMH nor commands. */
public final class PlantedInReport {

  static final Class<?> FORBIDDEN = RunResult.class;
  static final Class<?> FORBIDDEN_TOO = LintCommand.class;

  private PlantedInReport() {}
}
