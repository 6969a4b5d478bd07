package org.mqproof.report.lint;

import java.util.List;
import org.mqproof.report.Row;

/** The laws, for a row that was just measured. Stateless, thread-safe. */
public final class RowLint {

  private RowLint() {}

  /**
   * What of a row cannot be true together.
   *
   * @param row as measured
   * @return a sentence each, with the figures and the law; empty if nothing contradicts
   */
  public static List<String> contradictions(Row row) {
    return ResultsLint.of(row).findings().stream()
        .map(
            finding ->
                "%s: %s [%s]".formatted(finding.figure(), finding.sentence(), finding.law().text()))
        .toList();
  }
}
