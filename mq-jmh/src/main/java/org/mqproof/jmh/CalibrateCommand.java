package org.mqproof.jmh;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.ValidityChecks;
import org.mqproof.jmh.systems.UsageException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs benchmarks, in turn with the same load through the queue inside the JVM: how close each row
 * is to the ceiling of the harness. For one thread.
 */
final class CalibrateCommand implements Command {

  /** What the command takes, and what it answers. */
  static final String HELP =
      """
      calibrate COMMAND LINE   how close each row is to what the harness itself can do

        COMMAND LINE   benchmarks, -p system=NAME and all else, as without the word calibrate
      Each fork takes turns with one of the same load through the queue inside the JVM (memory). A
      row says which part of that rate it has, and an open loop which part of its p99 of the
      response time the harness has by itself; above %.0f %% the row is marked: harness-bound.
      Exit code: as without the word calibrate.
      Example: java -jar benchmarks.jar calibrate FlowBenchmark -p system=kafka -f 5 -wi 3 -i 5
      """
          .formatted(100 * ValidityChecks.MOST_OF_CEILING);

  /** Room for the fastest; its default is small. */
  private static final String SETTINGS = "settings=capacity=50000000";

  /** What the measured system needs, or where results go, is not for the ceiling. */
  private static final Set<String> OTHERS = Set.of("system", "settings", "mode", TrialParams.RTT);

  private static final Set<String> FILES = Set.of("-rf", "-rff");

  private final Measurement measurement;

  CalibrateCommand(Measurement measurement) {
    this.measurement = measurement;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
    CommandLineOptions options = JmhOptions.of(args);
    Plan plan = Plan.of(options, JmhOptions.paramsOf(args));
    if (plan.trials().isEmpty()) {
      throw new UsageException("no benchmark matches " + options.getIncludes() + "; try -l");
    }
    if (plan.parsed().stream().anyMatch(t -> t.system().equals(ValidityChecks.CEILING))) {
      throw new UsageException(
          "calibrate holds systems against %s, which is the ceiling itself: name another"
              .formatted(ValidityChecks.CEILING));
    }
    return Command.exitCode(measurement.of(List.of(options, JmhOptions.of(ceiling(args)))));
  }

  /** The same load through the queue inside the JVM. */
  static List<String> ceiling(List<String> args) {
    List<String> ceiling = new ArrayList<>();
    for (int i = 0; i < args.size(); i++) {
      boolean named = args.get(i).equals("-p") && i + 1 < args.size();
      if (FILES.contains(args.get(i))
          || (named && OTHERS.contains(args.get(i + 1).replaceFirst("=.*", "")))) {
        i++;
      } else {
        ceiling.add(args.get(i));
      }
    }
    ceiling.addAll(List.of("-p", "system=" + ValidityChecks.CEILING, "-p", SETTINGS));
    return ceiling;
  }
}
