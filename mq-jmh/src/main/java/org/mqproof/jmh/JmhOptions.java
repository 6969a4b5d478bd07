package org.mqproof.jmh;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.mqproof.jmh.load.SettingsText;
import org.mqproof.jmh.systems.UsageException;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.util.Optional;

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
      return new Line(args.toArray(String[]::new));
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

  /** JMH ends a value at each comma. */
  private static final class Line extends CommandLineOptions {

    private static final long serialVersionUID = 1L;

    Line(String... args) throws CommandLineOptionException {
      super(args);
    }

    @Override
    public Optional<Collection<String>> getParameter(String name) {
      Optional<Collection<String>> pieces = super.getParameter(name);
      return pieces.hasValue()
          ? Optional.of(SettingsText.values(name, String.join(",", pieces.get())))
          : pieces;
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
