package org.mqproof.jmh.load;

import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.Timeline;

/**
 * What is recorded of the sends of one sender: the service time of each, and its response time
 * where a schedule says when it was due. One thread at a time.
 */
public final class SendTimes {

  private final LatencyRecorder service;
  private final @Nullable LatencyRecorder response;

  /**
   * Times sends.
   *
   * @param response null for a closed loop, which has no schedule
   */
  public SendTimes(LatencyRecorder service, @Nullable LatencyRecorder response) {
    this.service = service;
    this.response = response;
  }

  void begin(Timeline.Phase phase) {
    service.begin(phase);
    if (response != null) {
      response.begin(phase);
    }
  }

  /** Messages that were confirmed though their batch failed: counted, not timed. */
  void count(long endNanos, long confirmed) {
    service.count(endNanos, confirmed);
  }

  /** A batch that was confirmed as a whole. */
  void record(long dueNanos, long startNanos, long endNanos, long confirmed) {
    service.count(endNanos, confirmed);
    service.record(endNanos - startNanos, 1);
    if (response != null) {
      response.count(endNanos, 0);
      response.record(endNanos - dueNanos, 1);
    }
  }

  /** A send that was due and never begun: its response time was at least as long. */
  void waited(long nowNanos, long nanos) {
    if (response == null) {
      throw new IllegalStateException("without a schedule nothing is due");
    }
    response.count(nowNanos, 0);
    response.record(nanos, 1);
  }

  void flush() {
    service.flush();
    if (response != null) {
      response.flush();
    }
  }
}
