package org.mqproof.report.verdict;

import static joptsimple.util.RegexMatcher.regex;

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
import org.jspecify.annotations.Nullable;
import org.mqproof.Ordering;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.History;
import org.mqproof.ledger.Verdict;

/** The command {@code verdict}: histories of a run in, its verdict out. Stateless, thread-safe. */
public final class VerdictCommand {

  /** At-least-once delivery is proven. */
  public static final int HOLDS = 0;

  /** It is broken, or not proven: not drained, a history ends early, or nothing was confirmed. */
  public static final int NOT_PROVEN = 1;

  /** What this command takes, and what it answers. */
  public static final String HELP =
      """
      verdict FILE...   what a run proved, found again from the histories it left

        FILE                     a history that a benchmark or a crash test wrote; those of
                                 several processes of one run are judged as one run
        --marks                  also lists what happened to the run, and when
        --order ORDER            hold the run to this order, none or per-sender, instead of what
                                 its histories say that the adapter declares
        --faults YES             whether a fault struck, yes or no, instead of what they say
      A history whose process was killed ends without an end; the last second of what it
      recorded may be missing, and such a run is never called proven.
      What a run is held to: docs/history.md. A history in which nothing was confirmed proves nothing.
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
    OptionSpec<String> order =
        parser.accepts("order").withRequiredArg().withValuesConvertedBy(regex("none|per-sender"));
    OptionSpec<String> faults =
        parser.accepts("faults").withRequiredArg().withValuesConvertedBy(regex("yes|no"));
    OptionSpec<String> files = parser.nonOptions();
    OptionSet options;
    @Nullable String toldOrder;
    @Nullable String toldFaults;
    try {
      options = parser.parse(args.toArray(String[]::new));
      toldOrder = options.valueOf(order);
      toldFaults = options.valueOf(faults);
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
    List<Path> paths = options.valuesOf(files).stream().map(Path::of).toList();
    History history = History.read(paths);
    if (toldOrder != null || toldFaults != null) {
      Expectations said = history.verdict().expected();
      Expectations held =
          new Expectations(
              toldOrder == null ? said.order() : order(toldOrder),
              toldFaults == null ? said.faults() : toldFaults.equals("yes"),
              said.redelivery());
      history = History.read(paths, true, held); // again, for its examples
    }
    history.parts().forEach(part -> out.println(describe(part)));
    if (options.has(marks)) {
      history.marks().forEach(mark -> out.println(TIME.format(mark.at()) + " " + mark.what()));
    }
    print(history, out);
    return history.verdict().holds() ? HOLDS : NOT_PROVEN;
  }

  private static Ordering order(String name) {
    return name.equals("none") ? Ordering.NONE : Ordering.PER_SENDER;
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
        "run %d: %,d attempted (%,d confirmed, %,d rejected, %,d unknown), %,d delivered, %,d acked;"
            + " order %s, faults %s%n",
        history.run(),
        verdict.attempted(),
        verdict.confirmed(),
        verdict.rejected(),
        verdict.unknown(),
        verdict.delivered(),
        verdict.acked(),
        verdict.expected().order() == Ordering.NONE ? "none" : "per-sender",
        verdict.expected().faults() ? "yes" : "no");
    verdict.examples().forEach(example -> out.println("  " + example));
    if (history.beyond() > 0) {
      out.printf(
          Locale.ROOT,
          "%,d delivered messages come after the end of their sender's history: counted as attempted,"
              + " outcome unknown%n",
          history.beyond());
    }
    out.println(verdict.judgement().words());
  }
}
