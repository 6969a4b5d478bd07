package org.mqproof.report.lint;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;
import org.mqproof.report.ResultsFile;

/** The command {@code lint}: tables in, contradictions out. Stateless, thread-safe. */
public final class LintCommand {

  /** Nothing in the tables contradicts itself. */
  public static final int CLEAN = 0;

  /** Something does. */
  public static final int CONTRADICTIONS = 1;

  /** What this command takes, and what it answers. */
  public static final String HELP =
      """
      lint FILE...   finds figures that cannot all be true, a sentence each

        FILE                     a published table (.csv), or a results.json of ours (.json)
        --column NAME=HEADING    what the table calls the column NAME
        --value NAME=VALUE       what holds for every row, for example --value nodes=1
        --bucket-ms N            width of the histogram buckets to look for (default 50: the
                                 study of 2017; 0 looks for none)
      Columns of a table, by NAME; a row is judged by what it has:
        row_id, system           what to call a row
        nodes, threads           client nodes, and sending threads on each
        batch                    messages of one send: 10, or 1-10 for uniform from 1 to 10
        window                   sends that one thread may have under way (default 1)
        send_msgs_s, receive_msgs_s
        send_latency_X_ms, processing_latency_X_ms
                                 X is mean, p50, p90, p95, p99, p999 or max
        in_flight_msgs, rtt_ms   most messages on their way to a receiver, and the round trip
      Exit code: 0 no contradiction, 1 some, 2 nothing could be judged.
      Example: java -jar benchmarks.jar lint study.csv --column threads=Threads --value nodes=1
      """;

  private LintCommand() {}

  /**
   * Judges files.
   *
   * @param args what follows {@code lint} on the command line
   * @param out where findings go
   * @return {@link #CLEAN} or {@link #CONTRADICTIONS}
   * @throws IOException if a file cannot be read
   * @throws IllegalArgumentException if the command line is wrong or a file cannot be judged; the
   *     message is one sentence for the user
   */
  public static int run(List<String> args, PrintStream out) throws IOException {
    OptionParser parser = new OptionParser();
    OptionSpec<Void> help = parser.accepts("help").forHelp();
    OptionSpec<String> columns = parser.accepts("column").withRequiredArg();
    OptionSpec<String> values = parser.accepts("value").withRequiredArg();
    OptionSpec<Double> bucket =
        parser
            .accepts("bucket-ms")
            .withRequiredArg()
            .ofType(Double.class)
            .defaultsTo(TableLint.BUCKETS_OF_2017_MILLIS);
    OptionSpec<String> files = parser.nonOptions();
    OptionSet options;
    double bucketMillis;
    try {
      options = parser.parse(args.toArray(String[]::new));
      bucketMillis = options.valueOf(bucket);
    } catch (OptionException e) {
      throw new IllegalArgumentException("lint: " + e.getMessage() + "; try lint --help", e);
    }
    if (options.has(help)) {
      out.print(HELP);
      return CLEAN;
    }
    if (options.valuesOf(files).isEmpty()) {
      throw new IllegalArgumentException("lint: which file? try lint --help");
    }
    Map<String, String> headings = pairs("column", options.valuesOf(columns));
    Map<String, String> constants = pairs("value", options.valuesOf(values));
    int found = 0;
    for (String file : options.valuesOf(files)) {
      Report report = judge(Path.of(file), headings, constants, bucketMillis);
      if (report.judged() == 0) {
        throw new IllegalArgumentException(
            file + " has nothing that can be judged: no row has the figures for a law");
      }
      report.findings().forEach(out::println);
      report.unread().forEach(cell -> out.println("not judged, no number: " + cell));
      out.printf(
          Locale.ROOT,
          "%s: %d rows, %d comparisons, %d contradictions%n",
          file,
          report.rows(),
          report.judged(),
          report.findings().size());
      found += report.findings().size();
    }
    return found == 0 ? CLEAN : CONTRADICTIONS;
  }

  private static Report judge(
      Path file, Map<String, String> headings, Map<String, String> constants, double bucketMillis)
      throws IOException {
    try {
      return file.toString().endsWith(".json")
          ? new ResultsLint(ResultsFile.read(file)).lint()
          : new TableLint(PublishedTable.read(file, headings, constants), bucketMillis).lint();
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no file " + file, e);
    }
  }

  private static Map<String, String> pairs(String option, List<String> texts) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String text : texts) {
      int equals = text.indexOf('=');
      String name = equals < 0 ? text : text.substring(0, equals);
      if (equals < 0 || !Column.known(name)) {
        throw new IllegalArgumentException(
            "--%s cannot be '%s': it takes NAME=..., and NAME is a column that lint --help lists"
                .formatted(option, text));
      }
      pairs.put(name, text.substring(equals + 1));
    }
    return pairs;
  }
}
