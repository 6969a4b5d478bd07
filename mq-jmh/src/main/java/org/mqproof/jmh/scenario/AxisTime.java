package org.mqproof.jmh.scenario;

import java.time.Duration;

/**
 * How long one axis of a scenario may take: its points come in their order, each with more work
 * than the one before, and the rest is left out when the next would end too late. For one thread.
 */
public final class AxisTime {

  private final Duration most;
  private Duration used = Duration.ZERO;
  private Duration last = Duration.ZERO;
  private double growth = 1;

  /**
   * Nothing is used yet.
   *
   * @param most for all points together; zero sets no bound
   */
  public AxisTime(Duration most) {
    this.most = most;
  }

  /**
   * Whether there is time for one more point: it is expected to take longer than the last one by
   * the factor by which that took longer than the one before.
   *
   * @return true for the first point, and without a bound
   */
  public boolean allowsOneMore() {
    double expected = last.toNanos() * growth;
    return most.isZero() || used.toNanos() + expected <= most.toNanos();
  }

  /**
   * A point has run.
   *
   * @param time how long it took
   */
  public void took(Duration time) {
    growth = last.isZero() ? 1 : Math.max(1, (double) time.toNanos() / last.toNanos());
    used = used.plus(time);
    last = time;
  }
}
