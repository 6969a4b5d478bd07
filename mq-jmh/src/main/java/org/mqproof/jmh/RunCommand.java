package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.mqproof.jmh.systems.UsageException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** Runs benchmarks by JMH's own command line. For one thread. */
final class RunCommand implements Command {

  /** What this command line adds to JMH's. */
  private static final String HELP =
      """

      MqProof adds:
        -p system=NAME           what to measure; a cluster of it is started unless the settings
                                 say where it runs. Without it, the names are listed.
        -p settings=K=V;K=V      what to connect with; commas separate alternatives to compare
        -p mode=K=V              more settings, those that decide on the guarantee
        -lp                      lists every parameter with its default
        -f N                     N forks of each row, in turn: one of each, then the next of each
        -tg SENDERS,RECEIVERS    threads of FlowBenchmark and OpenLoopBenchmark (default 1,1)
        -Dmqproof.results=DIR    where results go (default mqproof-results/TIME)
        -Dmqproof.connect.SYSTEM.KEY=VALUE
                                 a setting for one system; its value may contain commas
        -Dmqproof.adapters=DIR   more adapters: the jars in DIR, each with what it needs
        -Dmqproof.drainSeconds=N longest time to empty the queue for the verdict (default 120)
        -Dmqproof.idleSeconds=N  time without a message after which it counts as empty (default 10)
        -Dmqproof.warmUpSeconds=N
                                 longest time to load a cluster that was just started, before the
                                 first fork (default 45, 0 for none)
        -Dmqproof.history=DIR    each trial leaves a history there, for the command verdict
        -Dmqproof.metrics=[ADDRESS:]PORT
                                 what a fork is doing, for Prometheus, at /metrics; off without
      The -D options come before -jar.
      Other commands, each with its own --help:
        overview                 the main job: four rows about one system, in some 6 min
        calibrate COMMAND LINE   the same, and how close each row is to what the harness can do
        scenario NAME            an experiment of one of the studies, and its published figures
        perftest OPTIONS         what a command line of RabbitMQ's PerfTest asks for, proven
        sustain                  the largest rate that meets an objective, as an interval
        compare BEFORE AFTER     is the second run slower? with a confidence interval
        lint FILE...             figures of a table that cannot all be true
        verdict FILE...          what a run proved, found again from its histories
        report RESULTS.json...   the rows of several runs as one report
        cluster SYSTEM           starts a cluster for other programs, and prints its settings
        send, receive            one node of a run on several machines
        merge DIR...             what its nodes left, as one verdict and one report
        clock PORT SECONDS       tells its nodes what time it is here
        delete-queue             takes the queue away that its nodes shared
      Exit code: 0 every rate is proven (or ledger=false), 1 one is not, 2 nothing was measured.
      Example: java -jar benchmarks.jar FlowBenchmark -p system=NAME -tg 2,1 -f 1 -wi 3 -i 5
      """;

  private final Measurement measurement;
  private final PrintStream out;

  RunCommand(Measurement measurement, PrintStream out) {
    this.measurement = measurement;
    this.out = out;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
    CommandLineOptions options = JmhOptions.of(args.contains("--help") ? List.of("-h") : args);
    if (list(options)) {
      return PROVEN;
    }
    Plan plan = Plan.of(options, JmhOptions.paramsOf(args));
    if (plan.trials().isEmpty()) {
      throw new UsageException(
          "no benchmark matches " + options.getIncludes() + "; try -l, or -h for the commands");
    }
    return Command.exitCode(measurement.of(List.of(options)));
  }

  /** Does what only lists something. Returns false if benchmarks are to be run. */
  private boolean list(CommandLineOptions options) throws UsageException, IOException {
    Runner runner = runner(options);
    if (options.shouldHelp()) {
      options.showHelp();
      out.println(HELP);
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
}
