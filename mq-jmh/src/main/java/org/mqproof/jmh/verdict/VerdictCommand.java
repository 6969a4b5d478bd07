package org.mqproof.jmh.verdict;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;
import org.mqproof.ledger.History;
import org.mqproof.ledger.Verdict;

/** The command {@code verdict}: histories of a run in, its verdict out. Stateless, thread-safe. */
public final class VerdictCommand {

  /** At-least-once delivery is proven. */
  public static final int HOLDS = 0;

  /** It is broken, or not proven because the run was not drained or a history ends early. */
  public static final int NOT_PROVEN = 1;

  /** What this command takes, and what it answers. */
  public static final String HELP =
      """
      verdict FILE...   what a run proved, found again from the histories it left

        FILE                     a history that a benchmark or a crash test wrote; those of
                                 several processes of one run are judged as one run
        --marks                  also lists what happened to the run, and when
      A history whose process was killed ends without an end; the last second of what it
      recorded may be missing, and such a run is never called proven.
      Exit code: 0 at-least-once holds, 1 it is broken or not proven, 2 nothing could be judged.
      Example: java -jar benchmarks.jar verdict senders.history receivers.history
      """;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private VerdictCommand() {}

  /**
   * Judges a run.
   *
   * @param args what follows {@code verdict} on the command line
   * @param out where the verdict goes
   * @return {@link #HOLDS} or {@link #NOT_PROVEN}
   * @throws IOException if a file cannot be read
   * @throws IllegalArgumentException if the command line is wrong or the files cannot be judged;
   *     the message is one sentence for the user
   */
  public static int run(List<String> args, PrintStream out) throws IOException {
    OptionParser parser = new OptionParser();
    OptionSpec<Void> help = parser.accepts("help").forHelp();
    OptionSpec<Void> marks = parser.accepts("marks");
    OptionSpec<String> files = parser.nonOptions();
    OptionSet options;
    try {
      options = parser.parse(args.toArray(String[]::new));
    } catch (OptionException e) {
      throw new IllegalArgumentException("verdict: " + e.getMessage() + "; try verdict --help", e);
    }
    if (options.has(help)) {
      out.print(HELP);
      return HOLDS;
    }
    if (options.valuesOf(files).isEmpty()) {
      throw new IllegalArgumentException("verdict: which file? try verdict --help");
    }
    History history = History.read(options.valuesOf(files).stream().map(Path::of).toList());
    history.parts().forEach(part -> out.println(describe(part)));
    if (options.has(marks)) {
      history.marks().forEach(mark -> out.println(TIME.format(mark.at()) + " " + mark.what()));
    }
    print(history, out);
    return history.verdict().holds() ? HOLDS : NOT_PROVEN;
  }

  private static String describe(History.Part part) {
    String span =
        "%s: %s, from %s to %s UTC"
            .formatted(
                part.file(),
                part.name().isEmpty() ? "without a name" : part.name(),
                TIME.format(part.started()),
                TIME.format(part.until()));
    return part.complete()
        ? span + ", complete"
        : span
            + (", INCOMPLETE: its process was killed or still runs, and what it recorded after that"
                    + " time is missing (%d bytes left out)")
                .formatted(part.leftOut());
  }

  private static void print(History history, PrintStream out) {
    Verdict verdict = history.verdict();
    out.printf(
        Locale.ROOT,
        "run %d: %,d attempted (%,d confirmed, %,d rejected, %,d unknown), %,d delivered, %,d acked,"
            + " %,d reordered, %,d delivered after an ack%n",
        history.run(),
        verdict.attempted(),
        verdict.confirmed(),
        verdict.rejected(),
        verdict.unknown(),
        verdict.delivered(),
        verdict.acked(),
        verdict.reordered(),
        verdict.deliveredAfterAck());
    verdict.examples().forEach(example -> out.println("  " + example));
    if (history.beyond() > 0) {
      out.printf(
          Locale.ROOT,
          "%,d delivered messages come after the end of their sender's history: counted as attempted,"
              + " outcome unknown%n",
          history.beyond());
    }
    out.println(verdict.summary());
  }
}
