package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.mqproof.jmh.scenario.PublishedComparison;
import org.mqproof.jmh.scenario.Scenario;
import org.mqproof.jmh.scenario.ScenarioArgs;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.LoadCurve;
import org.mqproof.report.RoundTripFit;
import org.mqproof.report.Row;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Runs an experiment of one of the studies, and compares it with what they published. For one
 * thread.
 */
final class ScenarioCommand implements Command {

  private final Measurement measurement;
  private final PrintStream out;

  ScenarioCommand(Measurement measurement, PrintStream out) {
    this.measurement = measurement;
    this.out = out;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
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
        CommandLineOptions options = JmhOptions.of(line);
        Plan plan = Plan.of(options, List.of());
        plan.trials().forEach(trial -> params.addAll(trial.params().keySet()));
        runs.add(options);
      }
      for (String name : JmhOptions.paramsOf(args)) {
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
    List<Row> rows = measurement.of(runs, all -> PublishedComparison.of(scenario, all));
    out.println();
    out.print(RoundTripFit.text(rows));
    out.print(LoadCurve.text(rows));
    out.print(PublishedComparison.text(PublishedComparison.of(scenario, rows), rows));
    return Command.exitCode(rows);
  }
}
