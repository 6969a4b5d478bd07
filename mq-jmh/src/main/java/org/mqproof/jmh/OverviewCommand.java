package org.mqproof.jmh;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.scenario.OverviewArgs;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.Row;

/** Four rows about one system; the rate of the open loop comes from another row. For one thread. */
final class OverviewCommand implements Command {

  private final Measurement measurement;
  private final Secrets secrets;

  OverviewCommand(Measurement measurement, Secrets secrets) {
    this.measurement = measurement;
    this.secrets = secrets;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
    OverviewArgs asked;
    try {
      asked = OverviewArgs.of(List.of(secrets.hidden(args.toArray(String[]::new))));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    List<TrialParams> trials = new ArrayList<>();
    for (OverviewArgs.Line line : OverviewArgs.Line.values()) {
      List<String> jmh = asked.commandLine(line, 1);
      trials.addAll(Plan.of(JmhOptions.of(jmh), JmhOptions.paramsOf(jmh)).parsed());
    }
    return Command.exitCode(measurement.of(trials, forks -> overview(asked, forks), rows -> null));
  }

  private static List<Row> overview(OverviewArgs asked, Forks forks) throws IOException {
    Map<OverviewArgs.Line, Forks.Turn> turns = new EnumMap<>(OverviewArgs.Line.class);
    for (OverviewArgs.Line line : OverviewArgs.Line.values()) {
      turns.put(
          line,
          () -> {
            long half = OverviewArgs.halfOf(forks.rows(turns.get(OverviewArgs.Line.PIPELINED)));
            return JmhOptions.known(asked.commandLine(line, half));
          });
    }
    return forks.inTurn(asked.forks(), List.copyOf(turns.values()));
  }
}
