package org.mqproof.jmh.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.mqproof.jmh.load.BuildUp;
import org.mqproof.report.Latency;
import org.mqproof.report.OpenLoop;

/** What a reader has to know about an open loop's schedule. Stateless, thread-safe. */
public final class Punctuality {

  /** Share of the response time from which the generator's own lateness is said. */
  private static final double LATE = 0.1;

  private Punctuality() {}

  /** How the schedule was kept. */
  public static List<String> notes(OpenLoop openLoop) {
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
    return notes;
  }

  /** What was done on purpose: backlogs that were built, and acks that were not given. */
  public static List<String> notes(List<TrialFile> trials) {
    List<String> notes = new ArrayList<>();
    List<BuildUp.Drained> drained = new ArrayList<>();
    long toBuild = 0;
    long dropped = 0;
    long duplicated = 0;
    for (TrialFile trial : trials) {
      TrialFile.Pace pace = trial.pace();
      if (pace != null) {
        toBuild += pace.toBuild();
        drained.addAll(pace.drained());
        dropped += pace.dropped();
      }
      duplicated += trial.verdict() == null ? 0 : trial.verdict().duplicated();
    }
    if (toBuild > 0) {
      notes.add(backlogs(toBuild, drained));
    }
    if (dropped > 0) {
      notes.add(
          "%s deliveries were not acked on purpose; %s messages were delivered more than once"
              .formatted(count((double) dropped), count((double) duplicated)));
    }
    return notes;
  }

  private static String backlogs(long toBuild, List<BuildUp.Drained> drained) {
    String many = "%d of %d backlogs were built and drained".formatted(drained.size(), toBuild);
    if (drained.isEmpty()) {
      return many + " within their iteration; a longer one (-r) or a smaller backlog may be";
    }
    double build = 0;
    double drain = 0;
    double sent = 0;
    double received = 0;
    for (BuildUp.Drained one : drained) {
      build += one.buildNanos() / 1e9;
      drain += one.drainNanos() / 1e9;
      sent += one.sent();
      received += one.received();
    }
    return String.format(
        Locale.ROOT,
        "%s: built in %.2f s and drained in %.2f s each, while %,.0f msgs/s were sent and %,.0f received",
        many,
        build / drained.size(),
        drain / drained.size(),
        sent / drain,
        received / drain);
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
