package org.mqproof.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether the number of a row may be quoted, and why not. Immutable.
 *
 * <p>The number is the rate; of an open loop, whose rate was asked for, the 99th percentile of the
 * response time.
 *
 * @param kind the mark
 * @param reasons a sentence each, without a full stop; empty for {@link Kind#QUOTE}
 */
public record Mark(Kind kind, List<String> reasons) {

  /** From best to worst. */
  public enum Kind {
    /** Proven, steady, and known to within half as much again, or a latency to within twice. */
    QUOTE("quote"),
    /** Proven, and good for an order of magnitude. */
    ROUGH("rough"),
    /** Says something else than it seems to. */
    DO_NOT_QUOTE("do not quote");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    /**
     * As tables and pages have it.
     *
     * @return for example {@code "do not quote"}
     */
    public String words() {
      return words;
    }
  }

  /** Upper end of an interval by its lower one, to which a rate is good enough; a convention. */
  private static final double NARROW_RATE = 1.5;

  /** The same of a tail, which rests on a hundredth of the samples; a convention. */
  private static final double NARROW_LATENCY = 2;

  /** From here on not even the order of magnitude is sure. */
  private static final double WIDE = 4;

  /**
   * Marks a row.
   *
   * @param row what was measured
   * @return its mark
   */
  public static Mark of(Row row) {
    List<String> never = new ArrayList<>();
    List<String> rough = new ArrayList<>();
    switch (row.standing()) {
      case VOID -> never.add("nothing is proven");
      case UNVERIFIED -> never.add("the ledger was off");
      case PROVEN -> {}
    }
    for (SelfCheck.Doubt doubt : row.doubts()) {
      (doubt.kind() == SelfCheck.Kind.CLIENT ? rough : never).add(Words.doubt(doubt.kind()));
    }
    @Nullable OpenLoop openLoop = row.latencies().openLoop();
    int forks = row.headline().forks();
    if (forks < Interval.LEAST_FORKS) {
      rough.add(
          "%s, and how much forks differ takes %d"
              .formatted(Format.number(forks, "fork", "forks"), Interval.LEAST_FORKS));
    } else {
      judgeInterval(
          openLoop == null ? row.headline().interval() : openLoop.responseP99(),
          openLoop == null ? NARROW_RATE : NARROW_LATENCY,
          never,
          rough);
    }
    if (row.proof().selfCheck() == null || row.proof().selfCheck().drift() == null) {
      rough.add("too short to tell whether it was steady");
    }
    Kind kind = !never.isEmpty() ? Kind.DO_NOT_QUOTE : rough.isEmpty() ? Kind.QUOTE : Kind.ROUGH;
    never.addAll(rough);
    return new Mark(kind, never.stream().distinct().toList());
  }

  private static void judgeInterval(
      @Nullable Interval interval, double narrow, List<String> never, List<String> rough) {
    if (interval == null) {
      never.add("it stood still in a fork");
      return;
    }
    if (interval.factor() > narrow) {
      (interval.factor() > WIDE ? never : rough)
          .add(
              String.format(
                  Locale.ENGLISH,
                  "the forks' 95 %% interval ends at %.1f times where it begins",
                  interval.factor()));
    }
  }

  /**
   * The mark with its reasons.
   *
   * @return for example {@code "rough: 1 fork, and how much forks differ takes 5"}
   */
  public String sentence() {
    return reasons.isEmpty() ? kind.words() : kind.words() + ": " + String.join("; ", reasons);
  }
}
