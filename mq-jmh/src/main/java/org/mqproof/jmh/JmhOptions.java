package org.mqproof.jmh;

import java.util.ArrayList;
import java.util.List;
import org.mqproof.jmh.systems.UsageException;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/** Reads JMH's own command line. Stateless, thread-safe. */
final class JmhOptions {

  private JmhOptions() {}

  /**
   * Reads a command line.
   *
   * @throws UsageException with one sentence if JMH cannot
   */
  static CommandLineOptions of(List<String> args) throws UsageException {
    try {
      return new CommandLineOptions(args.toArray(String[]::new));
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

  /** Reads one that differs from one that was right by its rate alone. */
  static CommandLineOptions known(List<String> line) {
    try {
      return of(line);
    } catch (UsageException e) {
      throw new IllegalStateException("only the rate changed, and the command line was right", e);
    }
  }

  /** The names that {@code -p} sets. */
  static List<String> paramsOf(List<String> args) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i + 1 < args.size(); i++) {
      if (args.get(i).equals("-p")) {
        names.add(args.get(i + 1).replaceFirst("=.*", ""));
      }
    }
    return names;
  }
}
