package org.mqproof.jmh;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.LiveMetrics;
import org.mqproof.jmh.systems.ForkOptions;
import org.mqproof.jmh.systems.Systems;
import org.mqproof.jmh.trial.TrialFile;
import org.mqproof.jmh.trial.TrialHistory;
import org.mqproof.report.Row;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Defaults;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs the forks of all command lines in turn: one fork of each row, then the next of each. So a
 * machine that gets slower or faster meanwhile does the same to every row, and no row is compared
 * with another hour. JMH itself would run all forks of one row first. For one thread; another one
 * may {@link #stop} it.
 */
final class Forks {

  private final PrintStream out;
  private final Systems systems;
  private final ForkOptions told;
  private final Map<Part, Taken> taken = new LinkedHashMap<>();
  private boolean stopped;
  private final Map<Turn, CommandLineOptions> lines = new LinkedHashMap<>();

  /** A command line at one round trip. */
  private record Part(CommandLineOptions options, String rttMillis) {}

  /** What the forks of a part have left so far; only those that measure have results. */
  private record Taken(List<RunResult> results, List<RunResult> warmUps, List<TrialFile> trials) {

    /** Until one has measured, what others need to know of it is that of its warm-up. */
    List<RunResult> merged() {
      return Forks.merged(results.isEmpty() ? warmUps : results);
    }
  }

  Forks(PrintStream out, Systems systems, ForkOptions told) {
    this.out = out;
    this.systems = systems;
    this.told = told;
  }

  /** One row or several, whose command line may depend on what other rows gave. */
  interface Turn {

    /** Called once, before its first fork. */
    CommandLineOptions options() throws IOException;

    /** Asked before each fork: whether it is still wanted. */
    default boolean isWanted() {
      return true;
    }

    /** Told after each fork how long it took. */
    default void took(Duration fork) {}
  }

  /**
   * Runs all forks that the command lines of some turns ask for.
   *
   * @return their rows, in the order of the turns
   */
  List<Row> inTurn(List<Turn> turns) throws IOException {
    int most = 0;
    for (Turn turn : turns) {
      most = Math.max(most, count(line(turn)));
    }
    return inTurn(most, turns);
  }

  /** Of a command line; of none, which runs in this JVM, there is one too. */
  private static int count(CommandLineOptions options) {
    return Math.max(1, options.getForkCount().orElse(1));
  }

  /** The same for all turns: it is an option of the whole command. */
  private static int warmUps(CommandLineOptions options) {
    return options.getWarmupForkCount().orElse(0);
  }

  /**
   * Runs so many forks of each turn, or as few as its command line asks for; before them those that
   * only warm up.
   *
   * @return their rows, in the order of the turns
   */
  List<Row> inTurn(int forks, List<Turn> turns) throws IOException {
    long startNanos = System.nanoTime();
    Set<Turn> failed = new HashSet<>();
    int done = 0;
    int warmUps = warmUps(line(turns.get(0)));
    for (int fork = 1 - warmUps; fork <= forks; fork++) {
      for (Turn turn : turns) {
        CommandLineOptions line = line(turn);
        if (fork > count(line) || failed.contains(turn)) {
          continue;
        }
        if (done > 0) {
          progress(done, (warmUps + forks) * turns.size(), System.nanoTime() - startNanos);
        }
        if (turn.isWanted()) {
          long beganNanos = System.nanoTime();
          if (!next(line, fork > 0)) {
            failed.add(turn); // the next fork would fail as this one did
          }
          turn.took(Duration.ofNanos(System.nanoTime() - beganNanos));
        }
        done++;
      }
    }
    List<Row> rows = new ArrayList<>();
    for (Turn turn : turns) {
      if (!parts(line(turn)).isEmpty()) {
        finish(line(turn));
        rows.addAll(rows(turn));
      }
    }
    return rows;
  }

  private synchronized CommandLineOptions line(Turn turn) throws IOException {
    CommandLineOptions line = lines.get(turn);
    if (line == null) {
      line = turn.options();
      lines.put(turn, line);
    }
    return line;
  }

  /** Says how long the rest will take, if it takes as long as what is done. */
  private void progress(int done, int total, long passedNanos) {
    Duration left = Duration.ofNanos(passedNanos / done * (total - done));
    out.printf(
        Locale.ROOT,
        "%d of %d forks done, about %d:%02d min left%n",
        done,
        total,
        left.toMinutes(),
        left.toSecondsPart());
    out.flush();
  }

  /**
   * Runs one more fork of everything that a command line asks for.
   *
   * @param measures or only warms up, and counts for the verdict
   * @return whether any of it came to its end
   */
  private boolean next(CommandLineOptions options, boolean measures) throws IOException {
    boolean any = false;
    for (String rttMillis : options.getParameter(TrialParams.RTT).orElse(List.of("0"))) {
      systems.setRoundTrip(Integer.parseInt(rttMillis));
      Part part = new Part(options, rttMillis);
      long startedAtMillis = System.currentTimeMillis();
      Collection<RunResult> results = run(options, rttMillis, taken.isEmpty());
      take(part, measures, results, TrialFile.readAll(told.directory(), startedAtMillis));
      any |= !results.isEmpty();
    }
    return any;
  }

  private synchronized void take(
      Part part, boolean measures, Collection<RunResult> results, List<TrialFile> trials) {
    if (!stopped) {
      Taken own =
          taken.computeIfAbsent(
              part, p -> new Taken(new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
      (measures ? own.results : own.warmUps).addAll(results);
      own.trials.addAll(trials);
    }
  }

  /**
   * What a fork leaves from now on does not count: it was ended with this process.
   *
   * @return the rows of what had ended, in the order in which they began
   */
  synchronized List<Row> stop() {
    stopped = true;
    List<Row> rows = new ArrayList<>();
    lines.keySet().forEach(turn -> rows.addAll(rows(turn)));
    return rows;
  }

  /** The rows of what has run of a turn. */
  synchronized List<Row> rows(@Nullable Turn turn) {
    List<Row> rows = new ArrayList<>();
    parts(lines.get(turn))
        .forEach(part -> rows.addAll(new Rows(systems, told, part.trials).of(part.merged())));
    return rows;
  }

  private List<Taken> parts(@Nullable CommandLineOptions line) {
    return taken.entrySet().stream()
        .filter(part -> part.getKey().options == line)
        .map(Map.Entry::getValue)
        .toList();
  }

  /** What JMH has of all forks, as if it had run all those of a benchmark one after the other. */
  synchronized List<RunResult> results() {
    return taken.values().stream().flatMap(part -> part.merged().stream()).toList();
  }

  private Collection<RunResult> run(CommandLineOptions options, String rttMillis, boolean first)
      throws IOException {
    List<String> jvmArgs = new ArrayList<>(options.getJvmArgsAppend().orElse(List.of()));
    jvmArgs.addAll(told.jvmArgs());
    jvmArgs.addAll(TrialHistory.jvmArgs());
    jvmArgs.addAll(LiveMetrics.jvmArgs());
    told.publish(); // with -f 0 the benchmarks run in this JVM
    try (OutputStream file = output(options, first)) {
      return new Runner(
              new OptionsBuilder()
                  .parent(options)
                  .param(TrialParams.RTT, rttMillis)
                  .forks(Math.min(1, options.getForkCount().orElse(1)))
                  .warmupForks(0)
                  .addProfiler(ResultProfiler.class)
                  .jvmArgsAppend(jvmArgs.toArray(String[]::new))
                  .build(),
              asOneRun(format(options, file)))
          .run();
    } catch (NoBenchmarksException e) {
      throw new IllegalStateException("the plan has benchmarks and JMH has none", e);
    } catch (RunnerException e) {
      throw new IOException("JMH gave up: " + e.getMessage(), e);
    }
  }

  /** JMH's own last words on a command line: its table, and the file that it was asked for. */
  private void finish(CommandLineOptions options) throws IOException {
    List<RunResult> results =
        parts(options).stream().flatMap(part -> part.merged().stream()).toList();
    try (OutputStream file = output(options, false)) {
      format(options, file).endRun(results);
    }
    if (options.getResult().hasValue() || options.getResultFormat().hasValue()) {
      ResultFormatType type = options.getResultFormat().orElse(Defaults.RESULT_FORMAT);
      String name =
          options
              .getResult()
              .orElse(Defaults.RESULT_FILE_PREFIX + "." + type.toString().toLowerCase(Locale.ROOT));
      ResultFormatFactory.getInstance(type, name).writeOut(results);
    }
  }

  private OutputStream output(CommandLineOptions options, boolean first) throws IOException {
    if (!options.getOutput().hasValue()) {
      return OutputStream.nullOutputStream();
    }
    Path file = Path.of(options.getOutput().get());
    // Never deleted: it may be a link, or a device such as /dev/null.
    return Files.newOutputStream(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        first ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
  }

  private OutputFormat format(CommandLineOptions options, OutputStream file) {
    PrintStream to =
        options.getOutput().hasValue() ? new PrintStream(file, false, StandardCharsets.UTF_8) : out;
    return OutputFormatFactory.createFormatInstance(
        to, options.verbosity().orElse(Defaults.VERBOSITY));
  }

  /** Without what JMH prints at the end of each run, and without closing what others print to. */
  private static OutputFormat asOneRun(OutputFormat format) {
    return (OutputFormat)
        Proxy.newProxyInstance(
            Forks.class.getClassLoader(),
            new Class<?>[] {OutputFormat.class},
            (proxy, method, args) -> {
              if (Set.of("endRun", "close").contains(method.getName())) {
                format.flush();
                return null;
              }
              try {
                return method.invoke(format, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static List<RunResult> merged(List<RunResult> forks) {
    Map<List<Object>, List<RunResult>> byRow = new LinkedHashMap<>();
    for (RunResult fork : forks) {
      BenchmarkParams params = fork.getParams();
      List<Object> row = List.of(params.getBenchmark(), params.getMode(), Rows.params(params));
      byRow.computeIfAbsent(row, r -> new ArrayList<>()).add(fork);
    }
    return byRow.values().stream().map(Forks::asOne).toList();
  }

  private static RunResult asOne(List<RunResult> forks) {
    List<BenchmarkResult> results = new ArrayList<>();
    forks.forEach(fork -> results.addAll(fork.getBenchmarkResults()));
    return new RunResult(forks.get(0).getParams(), results);
  }
}
