package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.LiveMetrics;
import org.mqproof.jmh.measure.Machine;
import org.mqproof.jmh.measure.ValidityChecks;
import org.mqproof.jmh.systems.Endpoints;
import org.mqproof.jmh.systems.ForkOptions;
import org.mqproof.jmh.systems.JmhLock;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.Systems;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.Environment;
import org.mqproof.report.Findings;
import org.mqproof.report.HtmlReport;
import org.mqproof.report.Published;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;
import org.mqproof.report.TextTable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs JMH's forks, and around them starts what the benchmarks need, collects what they found, and
 * writes it. For one thread.
 */
final class Measurement {

  private static final DateTimeFormatter DIRECTORY =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final PrintStream out;
  private final Secrets secrets;

  Measurement(PrintStream out, Secrets secrets) {
    this.out = out;
    this.secrets = secrets;
  }

  /** Finds what others published of the same. */
  interface PublishedFigures {
    @Nullable Published of(List<Row> rows);
  }

  /** Decides what to run, against clusters that are there. */
  interface Experiment {
    List<Row> on(Forks forks) throws IOException;
  }

  /** Runs some command lines against the same clusters, and writes the results. */
  List<Row> of(List<CommandLineOptions> runs) throws UsageException, IOException {
    return of(runs, rows -> null);
  }

  /** The same, and compares the rows with published ones. */
  List<Row> of(List<CommandLineOptions> runs, PublishedFigures published)
      throws UsageException, IOException {
    List<TrialParams> trials = new ArrayList<>();
    for (CommandLineOptions options : runs) {
      trials.addAll(Plan.of(options, List.of()).parsed());
    }
    return of(
        trials,
        forks -> forks.inTurn(runs.stream().map(line -> (Forks.Turn) () -> line).toList()),
        published);
  }

  /**
   * Runs an experiment, and writes the results.
   *
   * @param trials all that it may run
   * @throws UsageException with one sentence if a system does not answer, or cannot be started
   * @throws IOException if JMH gives up, or files cannot be written
   */
  List<Row> of(List<TrialParams> trials, Experiment experiment, PublishedFigures published)
      throws UsageException, IOException {
    Instant startedAt = Instant.now();
    JmhLock.requireFree();
    ForkOptions asked;
    try {
      var unused = LiveMetrics.asked(); // before clusters start for nothing
      asked =
          ForkOptions.of(
                  System.getProperties(), Path.of("mqproof-results", DIRECTORY.format(startedAt)))
              .hidden(secrets);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    try (Systems systems = new Systems(out, secrets)) {
      ForkOptions told = systems.prepare(trials, asked);
      Files.createDirectories(told.directory());
      Forks forks = new Forks(out, systems, told);
      Map<String, Map<String, String>> brokers = systems.configurations();
      Keeping keeping =
          measured -> {
            List<Row> rows = ValidityChecks.calibrated(measured);
            Environment environment =
                Machine.environment(
                    startedAt, setup(trials, systems), brokers, jvmArgs(forks.results()));
            Results results = new Results(environment, rows, published.of(rows));
            write(forks.results(), results, told.directory());
          };
      List<Row> rows;
      Thread stopped = new Thread(() -> keepAfterStop(forks, keeping), "keep what was measured");
      Runtime.getRuntime().addShutdownHook(stopped);
      try {
        rows = experiment.on(forks);
      } finally {
        removeHook(stopped);
      }
      keeping.keep(rows);
      return rows;
    }
  }

  /** Prints and writes what was measured. */
  private interface Keeping {
    void keep(List<Row> rows) throws IOException;
  }

  /** On Ctrl-C: forks that have ended are as good as before. */
  private void keepAfterStop(Forks forks, Keeping keeping) {
    List<Row> rows = forks.stop();
    if (rows.isEmpty()) {
      return;
    }
    out.println();
    out.println("stopped: what follows has the forks that had ended");
    try {
      keeping.keep(rows);
    } catch (IOException | RuntimeException e) {
      out.println("the results could not be kept: " + e);
    }
    out.flush();
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      join(hook); // it is running, and this thread must not print beside it
    }
  }

  private static void join(Thread hook) {
    try {
      hook.join(TimeUnit.SECONDS.toMillis(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> jvmArgs(List<RunResult> results) {
    return results.stream()
        .findFirst()
        .map(result -> List.copyOf(result.getParams().getJvmArgs()))
        .orElse(List.of());
  }

  /** Prints before it writes: a full disk must not take what was measured with it. */
  private void write(List<RunResult> results, Results all, Path directory) throws IOException {
    List<Row> rows = all.rows();
    out.println();
    Findings.of(rows).forEach(out::println);
    out.println();
    out.print(TextTable.of(rows));
    if (Command.exitCode(rows) != Command.PROVEN) {
      out.println("Not every rate is proven: what is struck out (~~) must not be quoted.");
    }
    out.flush();
    ResultsFile.write(directory.resolve("results.json"), all);
    Path report = directory.resolve("report.html");
    HtmlReport.write(report, all);
    ResultFormatFactory.getInstance(
            ResultFormatType.JSON, directory.resolve("jmh-result.json").toString())
        .writeOut(results);
    out.println("report: " + report.toAbsolutePath());
    out.flush();
  }

  private static String setup(List<TrialParams> trials, Systems systems) {
    List<String> parts = new ArrayList<>();
    for (String system : trials.stream().map(TrialParams::system).distinct().toList()) {
      Optional<Cluster> cluster = systems.cluster(system);
      if (cluster.isPresent()) {
        parts.add(
            "%s: %d broker nodes with the vendor's defaults and the client on one machine, %s"
                .formatted(
                    system,
                    cluster.get().nodes(),
                    Boolean.getBoolean(ClusterProvider.NETWORK_PROPERTY)
                        ? "a network between them"
                        : "loopback"));
      } else if (Endpoints.inside(system)) {
        parts.add(system + ": inside the client's JVM");
      } else {
        parts.add(system + ": a system that ran already, the client on this machine");
      }
    }
    return String.join("; ", parts);
  }
}
