package org.mqproof.jmh.sustain;

import java.util.ArrayList;
import java.util.List;
import org.mqproof.report.Second;

/**
 * How fast the backlog grew while measuring: a least-squares line through its size at the end of
 * each whole measured second. Every stretch of seconds without a gap has a height of its own, as
 * the queue is emptied between iterations, and all share one slope.
 *
 * @param perSecond messages per second; below zero when it shrank
 * @param error standard error of that, messages per second
 * @param seconds that it rests on, less one per stretch; below 2 nothing is known
 */
record Backlog(double perSecond, double error, int seconds) {

  private static final int LEAST = 2;

  static Backlog of(List<Second> timeline) {
    List<List<Second>> stretches = new ArrayList<>();
    Second last = null;
    for (Second second : timeline) {
      if (second.measured() && second.backlog() != null) {
        boolean goesOn =
            last != null && last.fork() == second.fork() && last.second() + 1 == second.second();
        if (!goesOn) {
          stretches.add(new ArrayList<>());
        }
        stretches.get(stretches.size() - 1).add(second);
        last = second;
      }
    }
    double xx = 0;
    double xy = 0;
    double yy = 0;
    int free = 0;
    for (List<Second> stretch : stretches) {
      double meanX = stretch.stream().mapToInt(Second::second).average().orElse(0);
      double meanY = stretch.stream().mapToDouble(Backlog::size).average().orElse(0);
      for (Second second : stretch) {
        double x = second.second() - meanX;
        double y = size(second) - meanY;
        xx += x * x;
        xy += x * y;
        yy += y * y;
      }
      free += stretch.size() - 1;
    }
    if (free < LEAST) {
      return new Backlog(0, 0, free);
    }
    double slope = xy / xx;
    double rest = Math.max(0, yy - slope * xy); // rounding may leave a little less than nothing
    return new Backlog(slope, Math.sqrt(rest / (free - 1) / xx), free);
  }

  private static double size(Second second) {
    Long backlog = second.backlog();
    return backlog == null ? 0 : backlog.doubleValue();
  }

  boolean known() {
    return seconds >= LEAST;
  }

  /**
   * Whether it grew, beyond what its own jumps from second to second explain.
   *
   * @param tolerated messages per second that are no growth
   */
  boolean grows(double tolerated) {
    return perSecond > tolerated && perSecond > 2 * error;
  }
}
