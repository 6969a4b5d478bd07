package org.mqproof.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run: where it ran and what it measured.
 *
 * <p>Plain data, checked when it is written and read. Whoever fills it must not change its lists
 * and maps afterwards; then it can be shared between threads.
 *
 * @param schema the version of this model, {@link #SCHEMA} when written by this version
 * @param environment where the run took place
 * @param rows one per benchmark and set of parameters, in the order they were run
 * @param published figures that others published, with ours beside them; null if there are none
 */
public record Results(
    int schema, Environment environment, List<Row> rows, @Nullable Published published) {

  /** The version of the model; raised when a field changes its meaning or goes away. */
  public static final int SCHEMA = 1;

  /**
   * Results of this version's schema.
   *
   * @param environment where the run took place
   * @param rows one per benchmark and set of parameters, in the order they were run
   */
  public Results(Environment environment, List<Row> rows) {
    this(environment, rows, null);
  }

  /**
   * Results of this version's schema, with published figures beside them.
   *
   * @param environment where the run took place
   * @param rows one per benchmark and set of parameters, in the order they were run
   * @param published figures that others published
   */
  public Results(Environment environment, List<Row> rows, @Nullable Published published) {
    this(SCHEMA, environment, rows, published);
  }
}
