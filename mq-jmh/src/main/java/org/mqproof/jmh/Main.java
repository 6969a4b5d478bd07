package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.LiveMetrics;
import org.mqproof.jmh.measure.Machine;
import org.mqproof.jmh.measure.WallClock;
import org.mqproof.jmh.nodes.ClockServer;
import org.mqproof.jmh.nodes.Merge;
import org.mqproof.jmh.nodes.MergeArgs;
import org.mqproof.jmh.nodes.NodeArgs;
import org.mqproof.jmh.nodes.NodeRun;
import org.mqproof.jmh.scenario.PerfTest;
import org.mqproof.jmh.scenario.PublishedComparison;
import org.mqproof.jmh.scenario.Scenario;
import org.mqproof.jmh.scenario.ScenarioArgs;
import org.mqproof.jmh.sustain.Answer;
import org.mqproof.jmh.sustain.RateSearch;
import org.mqproof.jmh.sustain.SustainArgs;
import org.mqproof.jmh.systems.Endpoints;
import org.mqproof.jmh.systems.ForkOptions;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.Systems;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.Environment;
import org.mqproof.report.Findings;
import org.mqproof.report.HtmlReport;
import org.mqproof.report.Published;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.RoundTripFit;
import org.mqproof.report.Row;
import org.mqproof.report.TextTable;
import org.mqproof.report.compare.CompareCommand;
import org.mqproof.report.lint.LintCommand;
import org.mqproof.report.verdict.VerdictCommand;
import org.mqproof.spi.MqProvider;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs JMH with its own command line, and around it starts what the benchmarks need, collects what
 * they found, and judges. For one thread.
 */
public final class Main {

  /** Every rate is proven, or was not asked to be. */
  public static final int PROVEN = 0;

  /** A verdict does not hold, or a benchmark failed. */
  public static final int BROKEN = 1;

  /** Nothing was measured: the command line is wrong, or a system does not answer. */
  static final int USAGE = 2;

  private static final DateTimeFormatter DIRECTORY =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final PrintStream out;
  private final Secrets secrets = new Secrets();

  private Main(PrintStream out) {
    this.out = out;
  }

  /**
   * Runs benchmarks.
   *
   * @param args JMH's options
   */
  public static void main(String[] args) {
    int code;
    try {
      Main main = new Main(System.out);
      code = main.command(main.secrets.hidden(args));
    } catch (UsageException e) {
      System.out.flush();
      System.err.println(e.getMessage());
      code = USAGE;
    } catch (IOException e) {
      System.out.flush();
      System.err.println("the run failed: " + e);
      code = BROKEN;
    }
    System.exit(code); // a client that left a thread behind must not keep this JVM alive
  }

  /** The first word may be one of ours; everything else is JMH's. */
  private int command(String[] args) throws UsageException, IOException {
    List<String> rest = args.length == 0 ? List.of() : List.of(args).subList(1, args.length);
    return switch (args.length == 0 ? "" : args[0]) {
      case "compare" -> onFiles(() -> CompareCommand.run(rest, out));
      case "lint" -> onFiles(() -> LintCommand.run(rest, out));
      case "scenario" -> scenario(rest);
      case "sustain" -> sustain(rest);
      case "verdict" -> onFiles(() -> VerdictCommand.run(rest, out));
      case "overview" -> overview(rest);
      case "perftest" -> perfTest(rest);
      case "send" -> node(NodeArgs.Role.SEND, rest);
      case "receive" -> node(NodeArgs.Role.RECEIVE, rest);
      case "delete-queue" -> onFiles(() -> deleteQueue(rest));
      case "cluster" -> cluster(rest);
      case "clock" -> onFiles(() -> clock(rest));
      case "merge" -> merge(rest);
      default -> run(args, System.getProperties());
    };
  }

  private interface OnFiles {
    int run() throws IOException;
  }

  /** What only reads files: whatever is wrong with them is the caller's to put right. */
  private static int onFiles(OnFiles command) throws UsageException {
    try {
      return command.run();
    } catch (IllegalArgumentException | IOException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  private static boolean wantsHelp(List<String> args) {
    return args.isEmpty() || List.of("--help", "-h").contains(args.get(0));
  }

  private int node(NodeArgs.Role role, List<String> args) throws UsageException, IOException {
    if (wantsHelp(args)) {
      out.print(NodeArgs.HELP);
      return PROVEN;
    }
    NodeArgs asked;
    String metrics;
    try {
      asked = NodeArgs.of(role, args);
      metrics = LiveMetrics.asked();
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    return NodeRun.run(asked, metrics, out) ? PROVEN : BROKEN;
  }

  private int deleteQueue(List<String> args) {
    if (wantsHelp(args)) {
      out.print(
          """
          delete-queue -p system=NAME -p settings=K=V;K=V --queue NAME
          takes away the queue that the nodes of a run on several machines shared
          """);
      return PROVEN;
    }
    NodeArgs asked = NodeArgs.of("delete-queue", NodeArgs.Role.SEND, args);
    String system = asked.trial().system();
    try (Mq mq = MqProvider.named(system).connect(asked.settings())) {
      mq.deleteQueue(asked.queue());
    } catch (MqException e) {
      throw new IllegalArgumentException(system + ": " + e.getMessage(), e);
    }
    out.println("deleted " + asked.queue());
    return PROVEN;
  }

  private int cluster(List<String> args) throws UsageException {
    if (wantsHelp(args)) {
      out.print(ClusterCommand.HELP);
      return PROVEN;
    }
    return ClusterCommand.run(args, secrets, out);
  }

  /** Tells other nodes what time it is here. */
  private int clock(List<String> args) throws IOException {
    String help =
        "clock PORT SECONDS: tells the nodes of a run what time it is here, by UDP, so long";
    if (wantsHelp(args)) {
      out.println(help);
      return PROVEN;
    }
    if (args.size() != 2 || !args.stream().allMatch(arg -> arg.matches("\\d{1,7}"))) {
      throw new IllegalArgumentException(help);
    }
    WallClock clock = WallClock.now();
    int port = Integer.parseInt(args.get(0));
    try (ClockServer server = new ClockServer(new InetSocketAddress(port), clock::epochNanos)) {
      server.serve(Duration.ofSeconds(Long.parseLong(args.get(1))));
    }
    return PROVEN;
  }

  private int merge(List<String> args) throws UsageException {
    if (wantsHelp(args)) {
      out.print(MergeArgs.HELP);
      return PROVEN;
    }
    return onFiles(() -> Merge.run(MergeArgs.of(args), out) ? PROVEN : BROKEN);
  }

  private int run(String[] args, Properties properties) throws UsageException, IOException {
    CommandLineOptions options = options(args);
    if (list(options)) {
      return PROVEN;
    }
    Plan plan = Plan.of(options, namesOfParams(args));
    if (plan.trials().isEmpty()) {
      throw new UsageException("no benchmark matches " + options.getIncludes() + "; try -l");
    }
    return judge(measure(List.of(options), properties));
  }

  private int scenario(List<String> args) throws UsageException, IOException {
    ScenarioArgs asked;
    List<CommandLineOptions> runs = new ArrayList<>();
    try {
      asked = ScenarioArgs.of(args);
      if (asked.listing()) {
        out.print(asked.list());
        return PROVEN;
      }
      Set<String> params = new TreeSet<>();
      for (List<String> line : asked.commandLines()) {
        CommandLineOptions options = options(line.toArray(String[]::new));
        Plan plan = Plan.of(options, List.of());
        plan.trials().forEach(trial -> params.addAll(trial.params().keySet()));
        runs.add(options);
      }
      for (String name : namesOfParams(args.toArray(String[]::new))) {
        if (!params.contains(name)) {
          throw new UsageException(
              "no benchmark of this scenario has a parameter %s; they have %s"
                  .formatted(name, String.join(", ", params)));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    out.print(asked.description());
    Scenario scenario = asked.scenario();
    List<Row> rows =
        measure(runs, System.getProperties(), all -> PublishedComparison.of(scenario, all));
    out.println();
    out.print(RoundTripFit.text(rows));
    out.print(PublishedComparison.text(PublishedComparison.of(scenario, rows), rows));
    return judge(rows);
  }

  private static CommandLineOptions options(String[] args) throws UsageException {
    try {
      return new CommandLineOptions(args);
    } catch (CommandLineOptionException | IllegalStateException e) {
      String reason = String.valueOf(e.getMessage()).replace("\n", "; ");
      throw new UsageException(
          "the command line is wrong: "
              + (reason.contains(ResultFormatType.class.getName())
                  ? "-rf takes one of " + List.of(ResultFormatType.values())
                  : reason),
          e);
    }
  }

  private int perfTest(List<String> args) throws UsageException, IOException {
    if (wantsHelp(args)) {
      out.print(PerfTest.HELP);
      return PROVEN;
    }
    List<String> line;
    try {
      line = PerfTest.commandLine(args);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    String[] jmh = secrets.hidden(line.toArray(String[]::new));
    CommandLineOptions options = options(jmh);
    Plan plan = Plan.of(options, namesOfParams(jmh));
    if (plan.trials().isEmpty()) {
      throw new IllegalStateException("a translation names a benchmark that there is not");
    }
    out.println("the same here: " + String.join(" ", jmh));
    return judge(measure(List.of(options), System.getProperties()));
  }

  /** Four rows about one system; the rate of the open loop comes from another row. */
  private int overview(List<String> args) throws UsageException, IOException {
    if (wantsHelp(args)) {
      out.print(OverviewArgs.HELP);
      return PROVEN;
    }
    OverviewArgs asked;
    try {
      asked = OverviewArgs.of(List.of(secrets.hidden(args.toArray(String[]::new))));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    List<TrialParams> trials = new ArrayList<>();
    for (OverviewArgs.Line line : OverviewArgs.Line.values()) {
      String[] jmh = asked.commandLine(line, 1).toArray(String[]::new);
      trials.addAll(Plan.of(options(jmh), namesOfParams(jmh)).parsed());
    }
    return judge(
        measure(trials, System.getProperties(), forks -> overview(asked, forks), rows -> null));
  }

  private static List<Row> overview(OverviewArgs asked, Forks forks) throws IOException {
    Map<OverviewArgs.Line, Forks.Turn> turns = new EnumMap<>(OverviewArgs.Line.class);
    for (OverviewArgs.Line line : OverviewArgs.Line.values()) {
      turns.put(
          line,
          () -> {
            long half = OverviewArgs.halfOf(forks.rows(turns.get(OverviewArgs.Line.PIPELINED)));
            return known(asked.commandLine(line, half));
          });
    }
    return forks.inTurn(asked.forks(), List.copyOf(turns.values()));
  }

  /** Looks for the largest rate that meets an objective; each try is a run of its own. */
  private int sustain(List<String> args) throws UsageException, IOException {
    if (wantsHelp(args)) {
      out.print(SustainArgs.HELP);
      return PROVEN;
    }
    SustainArgs asked;
    try {
      asked = SustainArgs.of(args);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    CommandLineOptions first = options(asked.commandLine(asked.start()).toArray(String[]::new));
    List<TrialParams> trials = Plan.of(first, namesOfParams(args.toArray(String[]::new))).parsed();
    if (trials.size() != 1) {
      throw new UsageException("sustain asks about one set of parameters, and these are several");
    }
    List<RateSearch.Interval> found = new ArrayList<>();
    List<RateSearch.Try> tries = new ArrayList<>();
    measure(
        trials,
        System.getProperties(),
        forks -> {
          List<Row> rows = new ArrayList<>();
          RateSearch<IOException> search =
              new RateSearch<>(
                  rate -> {
                    Row row = once(forks, asked.commandLine(rate));
                    rows.add(row);
                    return asked.objective().judge(row);
                  },
                  one -> {
                    tries.add(one);
                    out.println(Answer.line(one));
                  },
                  asked.most(),
                  asked.step(),
                  asked.fresh());
          found.add(search.from(asked.start()));
          return rows;
        },
        rows -> null);
    out.println();
    tries.forEach(one -> out.println(Answer.line(one)));
    out.print(Answer.of(asked, found.get(0), tries));
    return found.get(0).sustained().isPresent() ? PROVEN : BROKEN;
  }

  private static Row once(Forks forks, List<String> line) throws IOException {
    return forks.inTurn(List.of(known(line))).get(0);
  }

  private static CommandLineOptions known(List<String> line) {
    try {
      return options(line.toArray(String[]::new));
    } catch (UsageException e) {
      throw new IllegalStateException("only the rate changed, and the command line was right", e);
    }
  }

  /** Finds what others published of the same. */
  private interface PublishedFigures {
    @Nullable Published of(List<Row> rows);
  }

  /** Decides what to run, against clusters that are there. */
  private interface Experiment {
    List<Row> on(Forks forks) throws IOException;
  }

  private List<Row> measure(List<CommandLineOptions> runs, Properties properties)
      throws UsageException, IOException {
    return measure(runs, properties, rows -> null);
  }

  /** Runs some command lines against the same clusters, and writes the results. */
  private List<Row> measure(
      List<CommandLineOptions> runs, Properties properties, PublishedFigures published)
      throws UsageException, IOException {
    List<TrialParams> trials = new ArrayList<>();
    for (CommandLineOptions options : runs) {
      trials.addAll(Plan.of(options, List.of()).parsed());
    }
    return measure(trials, properties, forks -> forks.inTurn(runs), published);
  }

  private List<Row> measure(
      List<TrialParams> trials,
      Properties properties,
      Experiment experiment,
      PublishedFigures published)
      throws UsageException, IOException {
    Instant startedAt = Instant.now();
    JmhLock.requireFree();
    ForkOptions asked;
    try {
      var unused = LiveMetrics.asked(); // before clusters start for nothing
      asked =
          ForkOptions.of(properties, Path.of("mqproof-results", DIRECTORY.format(startedAt)))
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
          rows -> {
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

  /** Does what only lists something. Returns false if benchmarks are to be run. */
  private boolean list(CommandLineOptions options) throws UsageException, IOException {
    Runner runner = runner(options);
    if (options.shouldHelp()) {
      options.showHelp();
      out.println(Help.TEXT);
    } else if (options.shouldList()) {
      runner.list();
    } else if (options.shouldListWithParams()) {
      runner.listWithParams(options);
    } else if (options.shouldListProfilers()) {
      options.listProfilers();
    } else if (options.shouldListResultFormats()) {
      options.listResultFormats();
    } else {
      return false;
    }
    return true;
  }

  /** A runner, which opens the file of {@code -o} at once. */
  private static Runner runner(CommandLineOptions options) throws UsageException {
    try {
      return new Runner(options);
    } catch (IllegalStateException e) {
      throw new UsageException(
          e.getCause() instanceof IOException file
              ? "-o cannot be written: " + file.getMessage()
              : String.valueOf(e.getMessage()),
          e);
    }
  }

  private static List<String> namesOfParams(String[] args) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i + 1 < args.length; i++) {
      if (args[i].equals("-p")) {
        names.add(args[i + 1].replaceFirst("=.*", ""));
      }
    }
    return names;
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
    if (judge(rows) != PROVEN) {
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

  private static int judge(List<Row> rows) {
    return !rows.isEmpty() && rows.stream().allMatch(Row::counts) ? PROVEN : BROKEN;
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
