package org.mqproof.jmh.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Drift;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.Throughput;

/**
 * Whether the rate drifted while it was measured, as it does when the warm-up was too short or a
 * log, a heap or an index grows: the test of Mann and Kendall for a trend in the rates per second,
 * inside each fork, and how far the last third of the seconds is from the first. Both have to
 * speak, as over many seconds the test finds the smallest trend. Stateless, thread-safe.
 *
 * <p>It looks only at seconds that were measured from end to end: those between two measured ones.
 * Where these are too few to show even a strict trend, it looks at the iterations.
 */
final class Steadiness {

  private Steadiness() {}

  /**
   * Judges a row's timeline; where its iterations are too short for that, their rates.
   *
   * @return null if both are too few to tell
   */
  static @Nullable Drift of(Row row) {
    boolean received = row.rates().received() != null;
    @Nullable Drift drift = of(row.timeline(), received);
    return drift == null ? of(row.headline()) : drift;
  }

  static @Nullable Drift of(List<Second> timeline, boolean received) {
    return ofForks(
        wholeSeconds(timeline, second -> (double) (received ? second.received() : second.sent())));
  }

  private static @Nullable Drift ofForks(List<List<Double>> forks) {
    double trend = 0;
    double mostTrend = 0;
    double variance = 0;
    double first = 0;
    double last = 0;
    int values = 0;
    for (List<Double> fork : forks) {
      int n = fork.size();
      if (n < 2) {
        continue; // no trend in one
      }
      for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
          trend += Math.signum(fork.get(j) - fork.get(i));
        }
      }
      mostTrend += n * (n - 1) / 2.0;
      variance += n * (n - 1.0) * (2.0 * n + 5) / 18;
      int third = (n + 2) / 3;
      first += mean(fork.subList(0, third));
      last += mean(fork.subList(n - third, n));
      values += n;
    }
    if (first == 0 || !Drift.beyondChance(z(mostTrend, variance))) {
      return null; // not even a strict trend would be beyond chance
    }
    return new Drift(last / first - 1, z(trend, variance), values);
  }

  /** The trend is a whole number: the usual correction by one. */
  private static double z(double trend, double variance) {
    return variance == 0
        ? 0
        : Math.signum(trend) * Math.max(0, Math.abs(trend) - 1) / Math.sqrt(variance);
  }

  static @Nullable Drift of(Throughput rate) {
    return ofForks(
        List.copyOf(
            rate.iterations().stream()
                .collect(
                    Collectors.groupingBy(
                        Throughput.Iteration::fork,
                        TreeMap::new,
                        Collectors.mapping(
                            Throughput.Iteration::messagesPerSecond, Collectors.toList())))
                .values()));
  }

  /** Per fork, without the seconds in which an iteration began or ended. */
  private static List<List<Double>> wholeSeconds(
      List<Second> timeline, ToDoubleFunction<Second> rate) {
    List<List<Double>> forks = new ArrayList<>();
    int fork = 0;
    for (int i = 1; i + 1 < timeline.size(); i++) {
      Second second = timeline.get(i);
      if (second.fork() != fork) {
        fork = second.fork();
        forks.add(new ArrayList<>());
      }
      if (second.measured()
          && follows(timeline.get(i - 1), second)
          && follows(second, timeline.get(i + 1))) {
        forks.get(forks.size() - 1).add(rate.applyAsDouble(second));
      }
    }
    return forks;
  }

  private static boolean follows(Second one, Second next) {
    return one.measured()
        && next.measured()
        && one.fork() == next.fork()
        && one.second() + 1 == next.second();
  }

  private static double mean(List<Double> rates) {
    return rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }
}
