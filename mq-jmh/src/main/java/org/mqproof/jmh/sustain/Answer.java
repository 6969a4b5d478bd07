package org.mqproof.jmh.sustain;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** What a search tried and found, as text. Stateless, thread-safe. */
public final class Answer {

  private Answer() {}

  /**
   * A line per run.
   *
   * @param one the run
   * @return without a line break
   */
  public static String line(RateSearch.Try one) {
    return String.format(
        Locale.ROOT,
        "%-7s %,12d msgs/s  %-7s  %s",
        one.fresh() ? "fresh" : "search",
        one.messagesPerSecond(),
        one.judgement().met() ? "met" : "NOT MET",
        one.judgement().why());
  }

  /**
   * The interval in a sentence or two.
   *
   * @param asked what was asked for
   * @param found the interval
   * @param tries every run
   * @return ends with a line break
   */
  public static String of(
      SustainArgs asked, RateSearch.Interval found, List<RateSearch.Try> tries) {
    StringBuilder text = new StringBuilder();
    OptionalLong low = found.sustained();
    OptionalLong high = found.notSustained();
    if (low.isEmpty()) {
      text.append("sustained: no rate that was tried");
    } else if (high.isPresent()) {
      text.append(
          String.format(
              Locale.ROOT,
              "sustained: between %,d and %,d msgs/s",
              low.getAsLong(),
              high.getAsLong()));
    } else {
      text.append(String.format(Locale.ROOT, "sustained: at least %,d msgs/s", low.getAsLong()));
    }
    text.append(" (").append(asked.objective()).append(")\n");
    low.ifPresent(rate -> text.append(votes(rate, tries)));
    high.ifPresent(rate -> text.append(votes(rate, tries)));
    tries.stream()
        .filter(RateSearch.Try::fresh)
        .mapToLong(RateSearch.Try::messagesPerSecond)
        .distinct()
        .filter(rate -> low.stream().noneMatch(one -> one == rate))
        .filter(rate -> high.stream().noneMatch(one -> one == rate))
        .sorted()
        .forEach(rate -> text.append(votes(rate, tries)));
    return text.toString();
  }

  private static String votes(long rate, List<RateSearch.Try> tries) {
    List<RateSearch.Try> fresh =
        tries.stream().filter(t -> t.fresh() && t.messagesPerSecond() == rate).toList();
    long met = fresh.stream().filter(t -> t.judgement().met()).count();
    return String.format(
        Locale.ROOT, "  at %,d msgs/s %d of %d fresh runs met it%n", rate, met, fresh.size());
  }
}
