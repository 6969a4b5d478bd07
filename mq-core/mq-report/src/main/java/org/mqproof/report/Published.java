package org.mqproof.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Figures that others published, and ours beside them. Plain data, see {@link Results}.
 *
 * @param study whose they are, and where they stand
 * @param figures one per published figure that one of our rows stands beside
 * @param differences what is not as in the study, a sentence each
 */
public record Published(String study, List<Figure> figures, List<String> differences) {

  /**
   * One figure.
   *
   * @param name of the study's row
   * @param figure what it is, with its unit, for example {@code "sent, msgs/s"}
   * @param published theirs
   * @param row of ours, from 1
   * @param ours in the same unit
   * @param ours2017 ours as the study's own method would have printed it; null where that makes no
   *     difference
   */
  public record Figure(
      String name,
      String figure,
      double published,
      int row,
      double ours,
      @Nullable Double ours2017) {

    /**
     * Ours by theirs: how two machines, versions and years differ, all at once.
     *
     * @return of what the same method gives, where that is known
     */
    public double ratio() {
      return (ours2017 == null ? ours : ours2017) / published;
    }
  }
}
