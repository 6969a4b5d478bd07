package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mqproof.jmh.nodes.NodeArgs;
import org.mqproof.jmh.scenario.OverviewArgs;
import org.mqproof.jmh.scenario.PerfTest;
import org.mqproof.jmh.sustain.SustainArgs;
import org.mqproof.jmh.systems.OutsideAdapters;
import org.mqproof.jmh.systems.Secrets;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.compare.CompareCommand;
import org.mqproof.report.lint.LintCommand;
import org.mqproof.report.verdict.VerdictCommand;

/**
 * The way in: the first word of the command line is a command of ours, or all of it is JMH's. For
 * one thread.
 */
final class Main {

  private Main() {}

  /**
   * Runs a command, or benchmarks.
   *
   * @param args a command and its arguments, or JMH's options
   */
  public static void main(String[] args) {
    // A client that left a thread behind must not keep this JVM alive.
    System.exit(run(args, System.out, System.err));
  }

  /** The same without the end of this JVM; returns the exit code. */
  static int run(String[] args, PrintStream out, PrintStream err) {
    try {
      OutsideAdapters.load(); // before anybody looks for adapters
      Secrets secrets = new Secrets();
      return run(List.of(secrets.hidden(args)), secrets, out);
    } catch (UsageException e) {
      out.flush();
      err.println(e.getMessage());
      return Command.USAGE;
    } catch (IOException e) {
      out.flush();
      err.println("the run failed: " + e);
      return Command.BROKEN;
    }
  }

  private static int run(List<String> args, Secrets secrets, PrintStream out)
      throws UsageException, IOException {
    @Nullable Command command = args.isEmpty() ? null : commands(secrets, out).get(args.get(0));
    return command == null
        ? new RunCommand(new Measurement(out, secrets), out).run(args)
        : command.run(args.subList(1, args.size()));
  }

  private static Map<String, Command> commands(Secrets secrets, PrintStream out) {
    Measurement measurement = new Measurement(out, secrets);
    NodeCommands nodes = new NodeCommands(out);
    Map<String, Command> commands = new HashMap<>();
    commands.put(
        "overview", new OverviewCommand(measurement, secrets).withHelp(OverviewArgs.HELP, out));
    commands.put(
        "calibrate", new CalibrateCommand(measurement).withHelp(CalibrateCommand.HELP, out));
    commands.put("scenario", new ScenarioCommand(measurement, out));
    commands.put(
        "perftest", new PerfTestCommand(measurement, secrets, out).withHelp(PerfTest.HELP, out));
    commands.put("sustain", new SustainCommand(measurement, out).withHelp(SustainArgs.HELP, out));
    commands.put("cluster", new ClusterCommand(secrets, out).withHelp(ClusterCommand.HELP, out));
    commands.put("send", nodes.node(NodeArgs.Role.SEND).withHelp(NodeArgs.HELP, out));
    commands.put("receive", nodes.node(NodeArgs.Role.RECEIVE).withHelp(NodeArgs.HELP, out));
    commands.put("delete-queue", nodes.deleteQueue());
    commands.put("clock", nodes.clock());
    commands.put("merge", nodes.merge());
    commands.put("report", new ReportCommand(out).withHelp(ReportCommand.HELP, out).onFiles());
    commands.put("compare", ((Command) args -> CompareCommand.run(args, out)).onFiles());
    commands.put("lint", ((Command) args -> LintCommand.run(args, out)).onFiles());
    commands.put("verdict", ((Command) args -> VerdictCommand.run(args, out)).onFiles());
    return commands;
  }
}
