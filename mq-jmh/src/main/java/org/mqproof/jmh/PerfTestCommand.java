package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.mqproof.jmh.scenario.PerfTest;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.UsageException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** Runs what a command line of RabbitMQ's PerfTest asks for. For one thread. */
final class PerfTestCommand implements Command {

  private final Measurement measurement;
  private final Secrets secrets;
  private final PrintStream out;

  PerfTestCommand(Measurement measurement, Secrets secrets, PrintStream out) {
    this.measurement = measurement;
    this.secrets = secrets;
    this.out = out;
  }

  @Override
  public int run(List<String> args) throws UsageException, IOException {
    List<String> line;
    try {
      line = PerfTest.commandLine(args);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
    List<String> jmh = List.of(secrets.hidden(line.toArray(String[]::new)));
    CommandLineOptions options = JmhOptions.of(jmh);
    Plan plan = Plan.of(options, JmhOptions.paramsOf(jmh));
    if (plan.trials().isEmpty()) {
      throw new IllegalStateException("a translation names a benchmark that there is not");
    }
    out.println("the same here: " + String.join(" ", jmh));
    return Command.exitCode(measurement.of(List.of(options)));
  }
}
