package org.mqproof.ledger;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a run proves, in the one wording that kit, crash tests, benchmarks, report and the {@code
 * verdict} command print. Immutable.
 *
 * @param confirmed messages of the run that were confirmed
 * @param findings what was found, the worst first
 */
public record Judgement(long confirmed, List<Finding> findings) {

  /**
   * One thing that was found.
   *
   * @param weight what it does to the proof
   * @param text for example {@code "3 lost"}
   */
  public record Finding(Weight weight, String text) {}

  /**
   * Whether a promise was broken.
   *
   * @return whether any finding breaks one
   */
  public boolean broken() {
    return has(Weight.BREAKS);
  }

  /**
   * Whether at-least-once delivery, and whatever else was expected, is proven. A rate measured
   * without this is not a rate.
   *
   * @return false if anything is broken, and also if nothing was found wrong but nothing is proven
   */
  public boolean holds() {
    return !broken() && !has(Weight.PROVES_NOTHING);
  }

  /**
   * The judgement and its reasons.
   *
   * @return for example {@code "holds"}, {@code "broken: 3 lost, 1 corrupt"} or {@code "not proven:
   *     nothing confirmed"}
   */
  public String headline() {
    return holds()
        ? "holds"
        : (broken() ? "broken: " : "not proven: ") + String.join(", ", texts(false));
  }

  /**
   * What else a reader should know.
   *
   * @return for example {@code "1,000 confirmed, 2 duplicated"}
   */
  public String details() {
    return String.join(
        ", ",
        Stream.concat(Stream.of(counted(confirmed, "confirmed")), texts(true).stream()).toList());
  }

  /**
   * The whole judgement in one line.
   *
   * @return for example {@code "at-least-once holds; 1,000 confirmed, 2 duplicated"}
   */
  public String words() {
    return "at-least-once " + headline() + "; " + details();
  }

  static String counted(long count, String what) {
    return String.format(Locale.ROOT, "%,d %s", count, what);
  }

  private List<String> texts(boolean noted) {
    return findings.stream()
        .filter(finding -> (finding.weight() == Weight.NOTED) == noted)
        .map(Finding::text)
        .toList();
  }

  private boolean has(Weight weight) {
    return findings.stream().anyMatch(finding -> finding.weight() == weight);
  }
}
