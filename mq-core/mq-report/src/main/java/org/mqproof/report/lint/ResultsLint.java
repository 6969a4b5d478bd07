package org.mqproof.report.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.Latency;
import org.mqproof.report.OpenLoop;
import org.mqproof.report.Results;
import org.mqproof.report.Row;
import org.mqproof.report.Throughput;

/**
 * Holds our own results to the same laws. They say more than a published table, so more can be
 * wrong with them. For one thread.
 */
final class ResultsLint {

  /** What drawn batch sizes, and a mean of rates for a rate, may change. */
  private static final double AVERAGING = 0.05;

  /** Twice the resolution of a histogram of three digits. */
  private static final double RESOLUTION = 0.002;

  /** What adding up in floating point may change. */
  private static final double ROUNDING = 1e-6;

  private static final double MEBIBYTE = 1024 * 1024;
  private static final Pattern BATCH = Pattern.compile("(\\d{1,6})(?:\\.\\.(\\d{1,6}))?");

  private final List<Row> rows;
  private final List<Finding> findings = new ArrayList<>();
  private int judged;

  ResultsLint(Results results) {
    this(results.rows());
  }

  private ResultsLint(List<Row> rows) {
    this.rows = rows;
  }

  static Report of(Row row) {
    return new ResultsLint(List.of(row)).lint();
  }

  Report lint() {
    int number = 0;
    for (Row row : rows) {
      number++;
      String name =
          "row %d (%s %s)".formatted(number, row.load().benchmark(), row.target().system());
      rate(name, "sent", row.rates().sent(), row.load().params());
      rate(name, "received", row.rates().received(), row.load().params());
      rate(name, "acked", row.rates().acked(), row.load().params());
      distribution(name, "sendLatency", row.latencies().send());
      distribution(name, "processingLatency", row.latencies().processing());
      openLoop(name, row);
      sendsUnderWay(name, row);
      messagesUnderWay(name, row);
      verdict(name, row.proof().verdict());
    }
    return new Report(List.copyOf(findings), number, judged, List.of());
  }

  private void rate(
      String name, String figure, @Nullable Throughput rate, Map<String, String> params) {
    if (rate == null || rate.iterations().isEmpty()) {
      return;
    }
    double mean =
        rate.iterations().stream()
            .mapToDouble(Throughput.Iteration::messagesPerSecond)
            .average()
            .orElseThrow();
    check(
        near(rate.messagesPerSecond(), mean),
        name,
        figure + ".messagesPerSecond",
        Law.ARITHMETIC,
        "%s is not the mean of its iterations, %s"
            .formatted(Bounds.number(rate.messagesPerSecond()), Bounds.number(mean)));
    String bodyBytes = params.get("bodyBytes");
    if (bodyBytes != null) {
      double mebibytes = rate.messagesPerSecond() * Double.parseDouble(bodyBytes) / MEBIBYTE;
      check(
          near(rate.mebibytesPerSecond(), mebibytes),
          name,
          figure + ".mebibytesPerSecond",
          Law.ARITHMETIC,
          "%s is not %s messages a second of %s bytes, %s"
              .formatted(
                  Bounds.number(rate.mebibytesPerSecond()),
                  Bounds.number(rate.messagesPerSecond()),
                  bodyBytes,
                  Bounds.number(mebibytes)));
    }
  }

  private void distribution(String name, String figure, @Nullable Latency latency) {
    if (latency == null) {
      return;
    }
    double mean = latency.meanNanos();
    rising(
        name,
        figure,
        List.of("minNanos", "meanNanos", "maxNanos"),
        List.of((double) latency.minNanos(), mean, (double) latency.maxNanos()));
    List<String> names =
        List.of("minNanos", "p50Nanos", "p95Nanos", "p99Nanos", "p999Nanos", "maxNanos");
    List<Double> values =
        List.of(
            (double) latency.minNanos(),
            (double) latency.p50Nanos(),
            (double) latency.p95Nanos(),
            (double) latency.p99Nanos(),
            (double) latency.p999Nanos(),
            (double) latency.maxNanos());
    rising(name, figure, names, values);
    rising(
        name,
        figure,
        latency.curve().stream().map(point -> "curve at " + point.percentile() + " %").toList(),
        latency.curve().stream().map(point -> (double) point.nanos()).toList());
    List<Double> quantiles = List.of(0.5, 0.95, 0.99, 0.999);
    for (int i = 0; i < quantiles.size(); i++) {
      markov(name, figure, latency, names.get(i + 1), quantiles.get(i), values.get(i + 1));
    }
  }

  /** A send is due before it begins: so of the same sends no response time is below the service. */
  private void openLoop(String name, Row row) {
    OpenLoop openLoop = row.latencies().openLoop();
    if (openLoop == null) {
      return;
    }
    distribution(name, "openLoop.response", openLoop.response());
    distribution(name, "openLoop.lateness", openLoop.lateness());
    Latency response = openLoop.response();
    Latency service = row.latencies().send();
    if (response == null || service == null) {
      return;
    }
    long more = response.count() - service.count();
    check(
        more == openLoop.unsent() || more == 0, // files of early builds have none of the unsent
        name,
        "openLoop.response.count",
        Law.ARITHMETIC,
        "%d is not the number of service times, %d, and of sends never begun, %d"
            .formatted(response.count(), service.count(), openLoop.unsent()));
    List<Double> responses =
        List.of(
            response.meanNanos(),
            (double) response.p50Nanos(),
            (double) response.p99Nanos(),
            (double) response.maxNanos());
    List<Double> services =
        List.of(
            service.meanNanos(),
            (double) service.p50Nanos(),
            (double) service.p99Nanos(),
            (double) service.maxNanos());
    List<String> figures = List.of("meanNanos", "p50Nanos", "p99Nanos", "maxNanos");
    for (int i = 0; i < figures.size(); i++) {
      rising(
          name,
          "openLoop.response",
          List.of("of the service time", figures.get(i)),
          List.of(services.get(i), responses.get(i)));
    }
  }

  /** Both ways: a percentile leaves the mean a least value and a largest one. */
  private void markov(
      String name, String figure, Latency latency, String which, double quantile, double value) {
    double least = latency.minNanos();
    double most = least + Bounds.percentile(latency.meanNanos() - least, quantile);
    check(
        value <= most + RESOLUTION * Math.abs(value),
        name,
        figure + "." + which,
        Law.MARKOV,
        "%s us cannot be with a mean of %s us: %s us at most"
            .formatted(micros(value), micros(latency.meanNanos()), micros(most)));
    double largestMean = quantile * value + (1 - quantile) * latency.maxNanos();
    check(
        latency.meanNanos() <= largestMean + RESOLUTION * Math.abs(largestMean),
        name,
        figure + ".meanNanos",
        Law.MARKOV,
        "%s us cannot be with a %s of %s us and a largest sample of %s us: %s us at most"
            .formatted(
                micros(latency.meanNanos()),
                which,
                micros(value),
                micros((double) latency.maxNanos()),
                micros(largestMean)));
  }

  private void rising(String name, String figure, List<String> names, List<Double> values) {
    for (int i = 1; i < values.size(); i++) {
      check(
          values.get(i - 1) <= values.get(i) + RESOLUTION * Math.abs(values.get(i)),
          name,
          figure + "." + names.get(i),
          Law.ORDER,
          "%s us cannot be below %s, %s us"
              .formatted(micros(values.get(i)), names.get(i - 1), micros(values.get(i - 1))));
    }
  }

  private void sendsUnderWay(String name, Row row) {
    Matcher batch = BATCH.matcher(row.load().params().getOrDefault("batch", ""));
    if (row.rates().sent() == null
        || row.latencies().send() == null
        || row.load().senders() < 1
        || !batch.matches()) {
      return;
    }
    double least = Double.parseDouble(batch.group(1));
    double most = batch.group(2) == null ? least : Double.parseDouble(batch.group(2));
    double perSecond = row.rates().sent().messagesPerSecond() / ((least + most) / 2);
    double underWay = perSecond * row.latencies().send().meanNanos() / 1e9;
    int window =
        row.async() ? Integer.parseInt(row.load().params().getOrDefault("window", "1")) : 1;
    long mostUnderWay = (long) row.load().senders() * window;
    check(
        underWay
            <= mostUnderWay * (1 + slack(row.rates().sent(), perSecond, row.latencies().send())),
        name,
        "sendLatency.meanNanos",
        Law.LITTLE,
        "%s batches a second that take %s us each are %s under way, and there were never more than %s"
            .formatted(
                Bounds.number(perSecond),
                micros(row.latencies().send().meanNanos()),
                Bounds.number(underWay),
                mostUnderWay));
  }

  /** Only where the harness holds the senders back. */
  private void messagesUnderWay(String name, Row row) {
    String backlog = row.load().params().get("backlog");
    if (row.rates().received() == null
        || row.rates().sent() == null
        || row.latencies().processing() == null
        || backlog == null) {
      return;
    }
    double underWay =
        row.rates().received().messagesPerSecond() * row.latencies().processing().meanNanos() / 1e9;
    // A sender asks before a batch whether there is room, so the last batch of each may exceed it.
    Matcher batch = BATCH.matcher(row.load().params().getOrDefault("batch", "1"));
    double largest =
        batch.matches()
            ? Double.parseDouble(batch.group(2) == null ? batch.group(1) : batch.group(2))
            : 1;
    double most = Double.parseDouble(backlog) + row.load().senders() * largest;
    double slack =
        slack(
            row.rates().received(),
            row.rates().received().messagesPerSecond(),
            row.latencies().processing());
    check(
        underWay <= most * (1 + slack),
        name,
        "processingLatency.meanNanos",
        Law.LITTLE,
        "%s messages a second that take %s us each are %s on their way, and there were never more than %s"
            .formatted(
                Bounds.number(row.rates().received().messagesPerSecond()),
                micros(row.latencies().processing().meanNanos()),
                Bounds.number(underWay),
                Bounds.number(most)));
  }

  /**
   * Share by which Little's law may be exceeded: the calls at both edges of an iteration are in the
   * latencies whole, and in its time only in part.
   */
  private static double slack(Throughput rate, double perSecond, Latency latency) {
    double seconds = latency.count() / perSecond;
    double edges = 2.0 * Math.max(1, rate.iterations().size()) * latency.maxNanos() / 1e9;
    return AVERAGING + edges / seconds;
  }

  private void verdict(String name, @Nullable Verdict verdict) {
    if (verdict == null) {
      return;
    }
    check(
        verdict.attempted() == verdict.confirmed() + verdict.rejected() + verdict.unknown(),
        name,
        "verdict.attempted",
        Law.ARITHMETIC,
        "%d is not confirmed + rejected + unknown = %d"
            .formatted(
                verdict.attempted(), verdict.confirmed() + verdict.rejected() + verdict.unknown()));
    long notDelivered = verdict.lost() + verdict.unverified() - verdict.acks().neverGiven();
    long seen = verdict.confirmed() - notDelivered + verdict.recovered();
    // A rejected message that came all the same is delivered, and unexpected.
    check(
        verdict.delivered() >= seen && verdict.delivered() <= seen + verdict.unexpected(),
        name,
        "verdict.delivered",
        Law.ARITHMETIC,
        "%d is not confirmed - lost - unverified + recovered = %d"
            .formatted(verdict.delivered(), seen));
    check(
        verdict.acked() <= verdict.delivered(),
        name,
        "verdict.acked",
        Law.ARITHMETIC,
        "%d is more than were delivered, %d".formatted(verdict.acked(), verdict.delivered()));
  }

  private void check(boolean holds, String row, String figure, Law law, String sentence) {
    judged++;
    if (!holds) {
      findings.add(new Finding(row, figure, law, sentence));
    }
  }

  private static boolean near(double one, double other) {
    return Math.abs(one - other) <= ROUNDING * Math.max(1, Math.abs(other));
  }

  private static String micros(double nanos) {
    return Bounds.number(nanos / 1000);
  }
}
