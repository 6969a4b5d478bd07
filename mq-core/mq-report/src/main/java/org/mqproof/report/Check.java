package org.mqproof.report;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether results can be what a run measured: nothing missing that must be there, no number out of
 * its range. A file may have been edited by hand, and NaN has no place in it. The records
 * themselves are plain data. Stateless, thread-safe.
 */
final class Check {

  private Check() {}

  /**
   * Checks every field.
   *
   * @throws IllegalArgumentException if a field is missing or out of range; the message begins with
   *     its path, for example {@code "rows[3].sent.error"}
   */
  static void results(Results results) {
    environment("environment", present("environment", results.environment()));
    List<Row> rows = list("rows", results.rows());
    for (int i = 0; i < rows.size(); i++) {
      row("rows[" + i + "]", rows.get(i));
    }
    published("published", results.published(), rows.size());
  }

  private static void published(String path, @Nullable Published published, int rows) {
    if (published == null) {
      return;
    }
    present(path + ".study", published.study());
    list(path + ".differences", published.differences());
    for (Published.Figure figure : list(path + ".figures", published.figures())) {
      present(path + ".figures.name", figure.name());
      present(path + ".figures.figure", figure.figure());
      amount(path + ".figures.published", figure.published());
      amount(path + ".figures.ours", figure.ours());
      between(1, rows, path + ".figures.row", figure.row());
    }
  }

  private static void environment(String path, Environment environment) {
    present(path + ".startedAt", environment.startedAt());
    present(path + ".setup", environment.setup());
    present(path + ".cpuModel", environment.cpuModel());
    atLeast(1, path + ".cores", environment.cores());
    atLeast(0, path + ".memoryBytes", environment.memoryBytes());
    if (environment.disks() != null) {
      list(path + ".disks", environment.disks());
    }
    present(path + ".kernel", environment.kernel());
    present(path + ".jdk", environment.jdk());
    list(path + ".jvmFlags", environment.jvmFlags());
    if (environment.brokers() != null) {
      environment.brokers().forEach((system, files) -> map(path + ".brokers." + system, files));
    }
    present(path + ".version", environment.version());
    present(path + ".commit", environment.commit());
  }

  private static void row(String path, Row row) {
    present(path + ".benchmark", row.load().benchmark());
    map(path + ".params", row.load().params());
    present(path + ".system", row.target().system());
    present(path + ".brokerVersion", row.target().brokerVersion());
    atLeast(0, path + ".nodes", row.target().nodes());
    present(path + ".mode", row.target().mode());
    traits(path + ".traits", present(path + ".traits", row.target().traits()));
    map(path + ".settings", row.target().settings());
    atLeast(0, path + ".senders", row.load().senders());
    atLeast(0, path + ".receivers", row.load().receivers());
    if (row.rates().sent() == null && row.rates().received() == null) {
      throw new IllegalArgumentException(path + " has neither sent nor received: no rate");
    }
    throughput(path + ".sent", row.rates().sent());
    throughput(path + ".received", row.rates().received());
    throughput(path + ".acked", row.rates().acked());
    latency(path + ".sendLatency", row.latencies().send());
    latency(path + ".processingLatency", row.latencies().processing());
    List<Second> timeline = list(path + ".timeline", row.timeline());
    for (int i = 0; i < timeline.size(); i++) {
      second(path + ".timeline[" + i + "]", timeline.get(i));
    }
    if (row.proof().verdict() != null) {
      list(path + ".verdict.examples", row.proof().verdict().examples());
    }
    amountIfKnown(path + ".cpuMicrosPerMessage", row.cost().cpuMicrosPerMessage());
    amountIfKnown(path + ".allocatedBytesPerMessage", row.cost().allocatedBytesPerMessage());
    amountIfKnown(path + ".ledgerBytesPerMessage", row.cost().ledgerBytesPerMessage());
    if (row.cost().gcMillis() != null) {
      atLeast(0, path + ".gcMillis", row.cost().gcMillis());
    }
    openLoop(path + ".openLoop", row.latencies().openLoop());
    selfCheck(path + ".selfCheck", row.proof().selfCheck());
    list(path + ".notes", row.proof().notes());
  }

  private static void selfCheck(String path, @Nullable SelfCheck check) {
    if (check == null) {
      return;
    }
    amount(path + ".cpuShare", check.cpuShare());
    amountIfKnown(path + ".threadShare", check.threadShare());
    amount(path + ".gcShare", check.gcShare());
    amountIfKnown(path + ".stealShare", check.stealShare());
    amountIfKnown(path + ".pressureShare", check.pressureShare());
    amountIfKnown(path + ".ceilingShare", check.ceilingShare());
    for (SelfCheck.Doubt doubt : list(path + ".doubts", check.doubts())) {
      present(path + ".doubts.kind", doubt.kind());
      present(path + ".doubts.sentence", doubt.sentence());
    }
  }

  private static void openLoop(String path, @Nullable OpenLoop openLoop) {
    if (openLoop == null) {
      return;
    }
    amount(path + ".messagesPerSecond", openLoop.messagesPerSecond());
    present(path + ".arrivals", openLoop.arrivals());
    atLeast(0, path + ".due", openLoop.due());
    atLeast(0, path + ".unsent", openLoop.unsent());
    latency(path + ".response", openLoop.response());
    if (openLoop.responseP99NanosByFork() != null) {
      list(path + ".responseP99NanosByFork", openLoop.responseP99NanosByFork());
    }
    latency(path + ".lateness", openLoop.lateness());
  }

  private static void traits(String path, DeclaredTraits traits) {
    atLeast(1, path + ".copies", traits.copies());
    present(path + ".ordering", traits.ordering());
    present(path + ".ackMode", traits.ackMode());
    atLeast(1, path + ".largestBodyBytes", traits.largestBodyBytes());
    atLeast(1, path + ".mostInFlight", traits.mostInFlight());
  }

  private static void throughput(String path, @Nullable Throughput rate) {
    if (rate == null) {
      return;
    }
    amount(path + ".messagesPerSecond", rate.messagesPerSecond());
    amountIfKnown(path + ".error", rate.error());
    between(0, 1, path + ".confidence", rate.confidence());
    amount(path + ".mebibytesPerSecond", rate.mebibytesPerSecond());
    for (Throughput.Iteration iteration : list(path + ".iterations", rate.iterations())) {
      atLeast(1, path + ".iterations.fork", iteration.fork());
      amount(path + ".iterations.messagesPerSecond", iteration.messagesPerSecond());
    }
  }

  private static void latency(String path, @Nullable Latency latency) {
    if (latency == null) {
      return;
    }
    atLeast(1, path + ".count", latency.count());
    atLeast(0, path + ".negatives", latency.negatives());
    for (Latency.Point point : list(path + ".curve", latency.curve())) {
      between(0, 100, path + ".curve.percentile", point.percentile());
    }
    if (latency.windows() != null) {
      for (Latency.Window window : list(path + ".windows", latency.windows())) {
        atLeast(1, path + ".windows.seconds", window.seconds());
        atLeast(1, path + ".windows.count", window.count());
      }
    }
  }

  private static void second(String path, Second second) {
    atLeast(1, path + ".fork", second.fork());
    atLeast(0, path + ".second", second.second());
    atLeast(0, path + ".sent", second.sent());
    atLeast(0, path + ".received", second.received());
  }

  private static <T> T present(String path, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(path + " is missing");
    }
    return value;
  }

  private static <T> List<T> list(String path, @Nullable List<T> values) {
    for (T value : present(path, values)) {
      present("an entry of " + path, value);
    }
    return present(path, values);
  }

  private static void map(String path, @Nullable Map<String, String> values) {
    present(path, values).forEach((key, value) -> present(path + "." + key, value));
  }

  private static void atLeast(long least, String path, long value) {
    if (value < least) {
      throw new IllegalArgumentException(path + " must be at least " + least + ", was " + value);
    }
  }

  private static void between(double least, double most, String path, double value) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          "%s must be between %.0f and %.0f, was %s".formatted(path, least, most, value));
    }
  }

  private static void amount(String path, double value) {
    if (!Double.isFinite(value) || value < 0) {
      throw new IllegalArgumentException(
          path + " must be a finite number of at least 0, was " + value);
    }
  }

  private static void amountIfKnown(String path, @Nullable Double value) {
    if (value != null) {
      amount(path, value);
    }
  }
}
