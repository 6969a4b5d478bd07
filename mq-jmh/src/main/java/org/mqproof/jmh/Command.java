package org.mqproof.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.mqproof.jmh.systems.UsageException;
import org.mqproof.report.Row;

/** What one word of the command line does. For one thread. */
interface Command {

  /** Exit code: every rate is proven, or was not asked to be. */
  int PROVEN = 0;

  /** Exit code: a verdict does not hold, or a benchmark failed. */
  int BROKEN = 1;

  /** Exit code: nothing was measured; the command line is wrong, or a system does not answer. */
  int USAGE = 2;

  /**
   * Runs the command.
   *
   * @param args what follows the word
   * @return the exit code
   * @throws UsageException with one sentence if nothing was measured
   * @throws IOException if the run failed
   */
  int run(List<String> args) throws UsageException, IOException;

  /** The same, with a text for those who ask for help, or give no arguments. */
  default Command withHelp(String help, PrintStream out) {
    return args -> {
      if (args.isEmpty() || List.of("--help", "-h").contains(args.get(0))) {
        out.print(help);
        return PROVEN;
      }
      return run(args);
    };
  }

  /**
   * The same for what only reads files: whatever is wrong with them is the caller's to put right.
   */
  default Command onFiles() {
    return args -> {
      try {
        return run(args);
      } catch (IllegalArgumentException | IOException e) {
        throw new UsageException(String.valueOf(e.getMessage()), e);
      }
    };
  }

  /** The exit code of what was measured. */
  static int exitCode(List<Row> rows) {
    return exitCode(!rows.isEmpty() && rows.stream().allMatch(Row::counts));
  }

  /** The exit code of what was proven or not. */
  static int exitCode(boolean proven) {
    return proven ? PROVEN : BROKEN;
  }
}
