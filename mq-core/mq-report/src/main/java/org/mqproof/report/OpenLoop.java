package org.mqproof.report;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What only an open loop can tell: its senders follow a schedule that no stall of the system moves.
 * Plain data, see {@link Results}.
 *
 * @param messagesPerSecond the rate that was asked for, all senders together
 * @param arrivals how it was spread over time, for example {@code "poisson"}
 * @param due sends that were begun while measuring, or due by then and never begun; what was
 *     overdue from the warm-up is among them
 * @param unsent of these, how many were never begun, as the senders were too far behind
 * @param response from the moment a send was due to its return, per batch (response time); one that
 *     was never begun counts with the time that it had waited at the end, a lower bound; null if
 *     none was due
 * @param responseP99NanosByFork the 99th percentile of the response time of each fork that was
 *     measured, nanoseconds; null in older files
 * @param lateness how late the generator itself began a send, per batch: later than if waiting had
 *     been exact and only the calls had taken their time. It is a part of the response time, and
 *     its error; null if nothing was sent
 */
public record OpenLoop(
    double messagesPerSecond,
    String arrivals,
    long due,
    long unsent,
    @Nullable Latency response,
    @Nullable List<Long> responseP99NanosByFork,
    @Nullable Latency lateness) {

  /** Where the 99th percentile of the response time of forks like these is; null below five. */
  @Nullable Interval responseP99() {
    return responseP99NanosByFork == null
        ? null
        : Interval.of(responseP99NanosByFork.stream().mapToDouble(Long::doubleValue).toArray());
  }

  static @Nullable Latency response(Row row) {
    return row.latencies().openLoop() == null ? null : row.latencies().openLoop().response();
  }

  static @Nullable Latency lateness(Row row) {
    return row.latencies().openLoop() == null ? null : row.latencies().openLoop().lateness();
  }
}
