package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.sustain.Answer;
import org.mqproof.jmh.sustain.RateSearch;
import org.mqproof.jmh.sustain.SustainArgs;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.LoadCurve;
import org.mqproof.report.Row;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * Looks for the largest rate that meets an objective; each try is a run of its own. For one thread.
 */
final class SustainCommand implements Command {

  private final Measurement measurement;
  private final PrintStream out;

  SustainCommand(Measurement measurement, PrintStream out) {
    this.measurement = measurement;
    this.out = out;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
    SustainArgs asked;
    try {
      asked = SustainArgs.of(args);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    CommandLineOptions first = JmhOptions.of(asked.commandLine(asked.start()));
    List<TrialParams> trials = Plan.of(first, JmhOptions.paramsOf(args)).parsed();
    if (trials.size() != 1) {
      throw new UsageException("sustain asks about one set of parameters, and these are several");
    }
    List<RateSearch.Interval> found = new ArrayList<>();
    List<RateSearch.Try> tries = new ArrayList<>();
    List<Row> all =
        measurement.of(
            trials,
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
    out.print(LoadCurve.text(all));
    return Command.exitCode(found.get(0).sustained().isPresent());
  }

  private static Row once(Forks forks, List<String> line) throws IOException {
    return forks.inTurn(List.of(() -> JmhOptions.known(line))).get(0);
  }
}
