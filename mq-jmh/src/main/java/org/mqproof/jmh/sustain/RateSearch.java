package org.mqproof.jmh.sustain;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Looks for the largest rate that meets an objective: doubles until one does not, halves the gap,
 * and then asks fresh runs at both ends. What the search itself saw counts for nothing in the end:
 * of many tries the lucky ones would be kept. For one thread.
 *
 * <p>The answer is an interval. At its lower end every fresh run met the objective, at its upper
 * end none did; in between they differ, or nobody asked.
 *
 * @param <E> what a run may throw
 */
public final class RateSearch<E extends Exception> {

  private static final int MOST_DOUBLINGS = 10;
  private static final int MOST_STEPS = 20;

  private final Run<E> run;
  private final Consumer<Try> log;
  private final long most;
  private final double step;
  private final int fresh;
  private final List<Try> tries = new ArrayList<>();

  /**
   * Runs once at a rate.
   *
   * @param <E> what it may throw
   */
  @FunctionalInterface
  public interface Run<E extends Exception> {

    /**
     * Runs once, from the start.
     *
     * @param messagesPerSecond the rate
     * @return what became of it
     * @throws E if it could not be run at all
     */
    Objective.Judgement at(long messagesPerSecond) throws E;
  }

  /**
   * One run.
   *
   * @param messagesPerSecond its rate
   * @param fresh whether it was made to confirm, and not to search
   * @param judgement what became of it
   */
  public record Try(long messagesPerSecond, boolean fresh, Objective.Judgement judgement) {}

  /**
   * What was found.
   *
   * @param sustained the largest rate at which every fresh run met the objective, messages per
   *     second; empty if there is none among those tried
   * @param notSustained the smallest rate above it at which no fresh run met the objective; empty
   *     if none was found up to the largest rate allowed
   */
  public record Interval(OptionalLong sustained, OptionalLong notSustained) {}

  /**
   * Prepares a search.
   *
   * @param run makes one run
   * @param log is told of each
   * @param most largest rate to try, messages per second
   * @param step factor between neighbouring rates at the end, above 1: how fine the answer is
   * @param fresh runs that have to agree at each end, at least 1
   */
  public RateSearch(Run<E> run, Consumer<Try> log, long most, double step, int fresh) {
    this.run = run;
    this.log = log;
    this.most = most;
    this.step = step;
    this.fresh = fresh;
  }

  /**
   * Searches.
   *
   * @param start the first rate to try, at most the largest
   * @return the interval
   * @throws E what a run throws
   */
  public Interval from(long start) throws E {
    long low = start;
    long high = Long.MAX_VALUE; // nothing failed yet
    if (met(start)) {
      while (high == Long.MAX_VALUE && low < most) {
        long next = Math.min(2 * low, most);
        if (met(next)) {
          low = next;
        } else {
          high = next;
        }
      }
    } else {
      int halvings = 0;
      do {
        high = low;
        low = Math.max(1, low / 2);
      } while (!met(low) && low > 1 && ++halvings < MOST_DOUBLINGS);
    }
    while (high != Long.MAX_VALUE && (double) high / low > step && high - low > 1) {
      long middle = Math.round(Math.sqrt((double) low * high));
      if (met(middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return confirm(low, high);
  }

  private Interval confirm(long low, long high) throws E {
    long up = high;
    long down = low;
    int met = fresh(down);
    for (int i = 0; met < fresh && down > 1 && i < MOST_STEPS; i++) {
      up = met == 0 ? down : up;
      down = lower(down);
      met = fresh(down);
    }
    boolean sustained = met == fresh;
    if (up == Long.MAX_VALUE) {
      up = most;
    }
    boolean refused = up > down && wasRefused(up);
    for (int i = 0; !refused && up > down && i < MOST_STEPS; i++) {
      int metAbove = fresh(up);
      refused = metAbove == 0;
      if (metAbove == fresh) {
        down = up; // the search met bad luck there
        sustained = true;
      }
      if (!refused) {
        if (up >= most) {
          break;
        }
        up = Math.min(most, Math.max(up + 1, Math.round(up * step)));
      }
    }
    return new Interval(
        sustained ? OptionalLong.of(down) : OptionalLong.empty(),
        refused ? OptionalLong.of(up) : OptionalLong.empty());
  }

  private long lower(long rate) {
    return Math.max(1, Math.min(rate - 1, Math.round(rate / step)));
  }

  private boolean wasRefused(long rate) {
    return tries.stream().anyMatch(t -> t.fresh() && t.messagesPerSecond() == rate)
        && tries.stream()
            .noneMatch(t -> t.fresh() && t.messagesPerSecond() == rate && t.judgement().met());
  }

  private boolean met(long rate) throws E {
    return attempt(rate, false);
  }

  /** How many fresh runs at a rate met the objective. */
  private int fresh(long rate) throws E {
    int met = 0;
    for (int i = 0; i < fresh; i++) {
      met += attempt(rate, true) ? 1 : 0;
    }
    return met;
  }

  private boolean attempt(long rate, boolean isFresh) throws E {
    Objective.Judgement judgement = run.at(rate);
    Try one = new Try(rate, isFresh, judgement);
    tries.add(one);
    log.accept(one);
    return judgement.met();
  }
}
