package org.mqproof.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.report.Drift;
import org.mqproof.jmh.report.Second;

/**
 * Whether the rate drifted while it was measured, as it does when the warm-up was too short or a
 * log, a heap or an index grows: the test of Mann and Kendall for a trend in the rates per second,
 * inside each fork, and how far the last third of the seconds is from the first. Both have to
 * speak, as over many seconds the test finds the smallest trend. Stateless, thread-safe.
 *
 * <p>It looks only at seconds that were measured from end to end: those between two measured ones.
 */
final class Steadiness {

  /** Below, not even a strict trend is beyond chance at this probability. */
  private static final int LEAST_SECONDS = 6;

  private Steadiness() {}

  /**
   * Judges a row's timeline.
   *
   * @param received whether its rate is that of the receivers
   * @return null if there are too few whole seconds to tell
   */
  static @Nullable Drift of(List<Second> timeline, boolean received) {
    ToDoubleFunction<Second> rate =
        second -> (double) (received ? second.received() : second.sent());
    double trend = 0;
    double variance = 0;
    double first = 0;
    double last = 0;
    int seconds = 0;
    for (List<Double> fork : wholeSeconds(timeline, rate)) {
      int n = fork.size();
      if (n < LEAST_SECONDS) {
        continue;
      }
      for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
          trend += Math.signum(fork.get(j) - fork.get(i));
        }
      }
      variance += n * (n - 1.0) * (2.0 * n + 5) / 18;
      int third = n / 3;
      first += mean(fork.subList(0, third));
      last += mean(fork.subList(n - third, n));
      seconds += n;
    }
    if (seconds == 0 || first == 0) {
      return null;
    }
    // The trend is a whole number: the usual correction by one.
    double z = Math.signum(trend) * Math.max(0, Math.abs(trend) - 1) / Math.sqrt(variance);
    return new Drift(last / first - 1, z, seconds);
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
