package org.mqproof.jmh.report;

import java.util.List;

/**
 * One run: where it ran and what it measured.
 *
 * <p>Plain data, checked when it is written and read. Whoever fills it must not change its lists
 * and maps afterwards; then it can be shared between threads.
 *
 * @param schema the version of this model, {@link #SCHEMA} when written by this version
 * @param environment where the run took place
 * @param rows one per benchmark and set of parameters, in the order they were run
 */
public record Results(int schema, Environment environment, List<Row> rows) {

  /** The version of the model; raised when a field changes its meaning or goes away. */
  public static final int SCHEMA = 1;

  /**
   * Results of this version's schema.
   *
   * @param environment where the run took place
   * @param rows one per benchmark and set of parameters, in the order they were run
   */
  public Results(Environment environment, List<Row> rows) {
    this(SCHEMA, environment, rows);
  }
}
