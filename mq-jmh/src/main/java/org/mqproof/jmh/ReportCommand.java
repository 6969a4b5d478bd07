package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.scenario.PublishedComparison;
import org.mqproof.jmh.scenario.PublishedMatrix;
import org.mqproof.report.Environment;
import org.mqproof.report.HtmlReport;
import org.mqproof.report.Published;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;
import org.mqproof.report.TextTable;

/** Makes one report of the rows of several runs. For one thread. */
final class ReportCommand implements Command {

  static final String HELP =
      """
      report RESULTS.json... [options]   the rows of several runs as one report

        --published FILE     a matrix that was published, as cloud-profile/s0-matrix.yml: its figures
                             stand beside ours, and its rows that were not measured are named
        --to DIR             where results.json and report.html go (default .)
      Where the runs had different machines or setups, the notes of each row say which.
      Exit code: 0 every rate is proven, 1 one is not, 2 a file cannot be used.
      """;

  private final PrintStream out;

  ReportCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public int run(List<String> args) throws IOException {
    OptionParser parser = new OptionParser();
    OptionSpec<String> published = parser.accepts("published").withRequiredArg();
    OptionSpec<String> to = parser.accepts("to").withRequiredArg();
    OptionSpec<String> files = parser.nonOptions();
    OptionSet given;
    try {
      given = parser.parse(args.toArray(String[]::new));
    } catch (OptionException e) {
      throw new IllegalArgumentException("report: " + e.getMessage() + "; try report --help", e);
    }
    if (given.valuesOf(files).isEmpty()) {
      throw new IllegalArgumentException("report: which results? try report --help");
    }
    @Nullable PublishedMatrix matrix =
        given.has(published) ? PublishedMatrix.read(file(given.valueOf(published))) : null;
    List<Results> runs = new ArrayList<>();
    for (String name : given.valuesOf(files)) {
      runs.add(ResultsFile.read(file(name)));
    }
    List<Row> rows = rows(runs);
    @Nullable Published compared = matrix == null ? null : PublishedComparison.of(matrix, rows);
    Results all = new Results(environment(runs), rows, compared);
    Path directory = Path.of(given.has(to) ? given.valueOf(to) : ".");
    ResultsFile.write(directory.resolve("results.json"), all);
    Path report = directory.resolve("report.html");
    HtmlReport.write(report, all);
    out.print(TextTable.of(rows));
    if (compared != null) {
      out.print(PublishedComparison.text(compared, rows));
    }
    out.println("report: " + report.toAbsolutePath());
    return Command.exitCode(rows);
  }

  private static Path file(String name) {
    Path file = Path.of(name);
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException("there is no file " + name);
    }
    return file;
  }

  private static List<Row> rows(List<Results> runs) {
    boolean same = runs.stream().map(run -> where(run.environment())).distinct().count() == 1;
    List<Row> rows = new ArrayList<>();
    for (Results run : runs) {
      run.rows().forEach(row -> rows.add(same ? row : row.with(where(run.environment()))));
    }
    return rows;
  }

  private static String where(Environment machine) {
    return "%s; measured on %s, %d cores, %s, %s"
        .formatted(
            machine.setup(), machine.cpuModel(), machine.cores(), machine.kernel(), machine.jdk());
  }

  /** That of the first run, with what the others differ in. */
  private static Environment environment(List<Results> runs) {
    Environment first = runs.get(0).environment();
    List<Environment> all = runs.stream().map(Results::environment).toList();
    return new Environment(
        all.stream().map(Environment::startedAt).min(String::compareTo).orElseThrow(),
        all.stream().map(Environment::setup).distinct().count() == 1
            ? first.setup()
            : "%d runs with several setups: the notes of each row have its own"
                .formatted(runs.size()),
        distinct(all, Environment::cpuModel),
        first.cores(),
        first.memoryBytes(),
        first.disks(),
        distinct(all, Environment::kernel),
        distinct(all, Environment::jdk),
        first.jvmFlags(),
        first.brokers(),
        distinct(all, Environment::version),
        distinct(all, Environment::commit));
  }

  private static String distinct(List<Environment> all, Function<Environment, String> what) {
    return all.stream().map(what).distinct().collect(Collectors.joining("; "));
  }
}
