package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.scenario.AxisTime;
import org.mqproof.jmh.scenario.PublishedComparison;
import org.mqproof.jmh.scenario.Scenario;
import org.mqproof.jmh.scenario.ScenarioArgs;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.CostCurve;
import org.mqproof.report.LoadCurve;
import org.mqproof.report.RoundTripFit;
import org.mqproof.report.Row;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** Runs an experiment, and compares it with what its study published. For one thread, once. */
final class ScenarioCommand implements Command {

  private final Measurement measurement;
  private final PrintStream out;
  private final Map<String, AxisTime> axes = new HashMap<>();

  ScenarioCommand(Measurement measurement, PrintStream out) {
    this.measurement = measurement;
    this.out = out;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
    ScenarioArgs asked;
    List<TrialParams> trials = new ArrayList<>();
    List<Forks.Turn> turns = new ArrayList<>();
    try {
      asked = ScenarioArgs.of(args);
      if (asked.listing()) {
        out.print(asked.list());
        return PROVEN;
      }
      Set<String> params = new TreeSet<>();
      for (Scenario.Line line : asked.lines()) {
        CommandLineOptions options = JmhOptions.of(line.args());
        Plan plan = Plan.of(options, List.of());
        plan.trials().forEach(trial -> params.addAll(trial.params().keySet()));
        trials.addAll(plan.parsed());
        turns.add(turn(line, options, asked.scenario()));
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
    List<Row> rows =
        measurement.of(
            trials,
            forks -> forks.inTurn(turns),
            all -> scenario.ofAStudy() ? PublishedComparison.of(scenario, all) : null);
    out.println();
    out.print(RoundTripFit.text(rows));
    out.print(LoadCurve.text(rows));
    out.print(CostCurve.text(rows));
    if (scenario.ofAStudy()) {
      out.print(PublishedComparison.text(PublishedComparison.of(scenario, rows), rows));
    } else {
      scenario.differs().forEach(line -> out.println("Note: " + line));
    }
    return Command.exitCode(rows);
  }

  private Forks.Turn turn(Scenario.Line line, CommandLineOptions options, Scenario scenario) {
    String axis = line.axis();
    if (axis == null) {
      return () -> options;
    }
    AxisTime time =
        axes.computeIfAbsent(
            axis, name -> new AxisTime(Duration.ofSeconds(scenario.axisSeconds())));
    return new Forks.Turn() {
      @Override
      public CommandLineOptions options() {
        return options;
      }

      @Override
      public boolean isWanted() {
        boolean wanted = time.allowsOneMore();
        if (!wanted) {
          out.printf(
              "axis %s: left out, as it would end after %d s: %s%n",
              axis, scenario.axisSeconds(), String.join(" ", line.args()));
        }
        return wanted;
      }

      @Override
      public void took(Duration fork) {
        time.took(fork);
      }
    };
  }
}
