package org.mqproof.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What speaks against a row's numbers, looked for on every run. Plain data, see {@link Results}.
 *
 * @param cpuShare of all cores, used by the measuring JVM, between 0 and 1
 * @param threadShare of the measured time, for which the busiest thread of the measuring JVM ran,
 *     between 0 and 1; null if not known
 * @param gcShare of the measured time, taken by its collectors, between 0 and 1
 * @param schedulerLagP99Nanos how late a thread of the measuring JVM that sleeps is woken, 99th
 *     percentile, nanoseconds; null if nobody looked
 * @param stealShare of the machine's processor time, given to other machines by its host, between 0
 *     and 1; null if not known
 * @param pressureShare of the measured time, in which some thread of the machine waited for a core,
 *     between 0 and 1, as the kernel counts it (PSI); null if not known
 * @param ceilingShare the rate by that of the same load through the queue inside the JVM, of an
 *     open loop the 99th percentile of the response time through that queue by the row's; null if
 *     that queue was not part of the run
 * @param drift of the rate while it was measured; null if it was too short to tell
 * @param doubts what a reader has to know; empty if nothing speaks against the row
 */
public record SelfCheck(
    double cpuShare,
    @Nullable Double threadShare,
    double gcShare,
    @Nullable Long schedulerLagP99Nanos,
    @Nullable Double stealShare,
    @Nullable Double pressureShare,
    @Nullable Double ceilingShare,
    @Nullable Drift drift,
    List<Doubt> doubts) {

  /**
   * One reason.
   *
   * @param kind what it puts in doubt
   * @param sentence with the figures
   */
  public record Doubt(Kind kind, String sentence) {}

  /** What is in doubt. */
  public enum Kind {
    /** The client, or its machine, may be what limited the rate or made the latency. */
    CLIENT,
    /** The rate was not the same all the time. */
    UNSTEADY,
    /** The receivers were slower than the senders: the processing latency says how long it ran. */
    BEHIND,
    /** The schedule could not be kept: the response times are lower bounds. */
    NOT_HELD,
    /** Figures of the row cannot be true together. */
    CONTRADICTION
  }
}
