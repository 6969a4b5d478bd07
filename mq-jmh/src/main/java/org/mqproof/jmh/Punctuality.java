package org.mqproof.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.mqproof.jmh.report.Latency;
import org.mqproof.jmh.report.OpenLoop;

/** What a reader has to know about an open loop's schedule. Stateless, thread-safe. */
final class Punctuality {

  /** Share of the response time from which the generator's own lateness is said. */
  private static final double LATE = 0.1;

  private Punctuality() {}

  static List<String> notes(OpenLoop openLoop) {
    List<String> notes = new ArrayList<>();
    Latency response = openLoop.response();
    Latency lateness = openLoop.lateness();
    if (response != null) {
      notes.add(
          "asked for %s msgs/s, %s: response time, from the moment a send was due, us p50/p99/p99.9/max %s; service times are in the table"
              .formatted(
                  count(openLoop.messagesPerSecond()),
                  openLoop.arrivals(),
                  micros(response.p50Nanos(), response.p99Nanos(), response.p999Nanos())
                      + "/"
                      + micros(response.maxNanos())));
    }
    if (lateness != null) {
      String late =
          "the generator itself was late by us p50/p99/max "
              + micros(lateness.p50Nanos(), lateness.p99Nanos(), lateness.maxNanos());
      boolean much = response != null && lateness.p99Nanos() > LATE * response.p99Nanos();
      notes.add(
          much ? late + ": that is much of the response time, which is no better known" : late);
    }
    if (openLoop.unsent() > 0) {
      notes.add(
          "the rate was not held: %s of %s sends were due and not begun %d s after the iteration; they are in no latency"
              .formatted(
                  count((double) openLoop.unsent()),
                  count((double) openLoop.due()),
                  PacedSending.CATCH_UP_NANOS / 1_000_000_000));
    }
    return notes;
  }

  private static String micros(long... nanos) {
    List<String> each = new ArrayList<>();
    for (long one : nanos) {
      each.add(String.format(Locale.ROOT, one < 10_000 ? "%.2f" : "%,.0f", one / 1e3));
    }
    return String.join("/", each);
  }

  private static String count(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }
}
