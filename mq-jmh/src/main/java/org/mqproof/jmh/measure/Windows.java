package org.mqproof.jmh.measure;

import java.util.ArrayList;
import java.util.List;

/**
 * The latencies of one kind in windows of so many measured seconds, one after the other. The last
 * window has the seconds that are left; a run that is shorter than one window has one all the same.
 * One thread at a time.
 */
public final class Windows {

  private final int length;
  private final List<Tail> tails = new ArrayList<>();
  private final Distribution open = new Distribution();
  private int seconds;
  private long last = -1;

  /**
   * The tail of one window, nanoseconds.
   *
   * @param p95Nanos 95th percentile of its samples
   * @param p99Nanos 99th percentile of its samples
   */
  public record Tail(long p95Nanos, long p99Nanos) {}

  /**
   * No window yet.
   *
   * @param length measured seconds of a window, at least 1
   */
  public Windows(int length) {
    this.length = length;
  }

  /**
   * Takes in a measured second, or a part of one.
   *
   * @param second not below that of the last call
   */
  public void add(long second, Distribution times) {
    if (second != last) {
      if (seconds == length) {
        close();
      }
      seconds++;
      last = second;
    }
    open.add(times);
  }

  private void close() {
    tails.add(new Tail(open.atPercentile(95), open.atPercentile(99)));
    open.reset();
    seconds = 0;
  }

  /** All windows, the last one as it is so far; one whose samples are missing is not among them. */
  public List<Tail> tails() {
    List<Tail> all = new ArrayList<>(tails);
    if (open.count() > 0) {
      all.add(new Tail(open.atPercentile(95), open.atPercentile(99)));
    }
    return all;
  }
}
