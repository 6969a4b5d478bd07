package org.mqproof.report.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import joptsimple.OptionException;
import joptsimple.OptionParser;
import joptsimple.OptionSet;
import joptsimple.OptionSpec;
import org.mqproof.report.Environment;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;

/** The command {@code compare}: is the second run slower? Stateless, thread-safe. */
public final class CompareCommand {

  /** No benchmark is shown to be slower, and none lost its proof. */
  public static final int NO_SLOWER = 0;

  /** One is, or did. */
  public static final int SLOWER = 1;

  /** What this command takes, and what it answers. */
  public static final String HELP =
      """
      compare BEFORE AFTER   says whether the second run is slower than the first

        BEFORE, AFTER        results.json; several of one side, separated by commas, are
                             one run with more forks (run them in turns: A B B A ...)
        --threshold SHARE    a change that counts (default 0.05)
        --confidence P       of all intervals together (default 0.95)
        --seed N             of the bootstrap (default 1); the same seed, the same answer
        --markdown FILE      writes the table for a pull request, too
      At least five forks of each (-f 5); rows without a clean verdict are never compared.
      Exit code: 0 none slower, 1 one slower or not proven any more, 2 nothing to compare.
      Example: java -jar benchmarks.jar compare main/results.json mine/results.json
      """;

  private CompareCommand() {}

  /**
   * Compares.
   *
   * @param args what follows {@code compare} on the command line
   * @param out where the table goes
   * @return {@link #NO_SLOWER} or {@link #SLOWER}
   * @throws IOException if a file cannot be read or written
   * @throws IllegalArgumentException if the command line is wrong or nothing can be compared; the
   *     message is one sentence for the user
   */
  public static int run(List<String> args, PrintStream out) throws IOException {
    OptionParser parser = new OptionParser();
    OptionSpec<Void> help = parser.accepts("help").forHelp();
    OptionSpec<Double> threshold =
        parser.accepts("threshold").withRequiredArg().ofType(Double.class).defaultsTo(0.05);
    OptionSpec<Double> confidence =
        parser.accepts("confidence").withRequiredArg().ofType(Double.class).defaultsTo(0.95);
    OptionSpec<Long> seed =
        parser.accepts("seed").withRequiredArg().ofType(Long.class).defaultsTo(1L);
    OptionSpec<String> markdown = parser.accepts("markdown").withRequiredArg();
    OptionSpec<String> files = parser.nonOptions();
    OptionSet options;
    Method method;
    try {
      options = parser.parse(args.toArray(String[]::new));
      method =
          new Method(
              share("threshold", options.valueOf(threshold)),
              share("confidence", options.valueOf(confidence)),
              options.valueOf(seed));
    } catch (OptionException e) {
      throw new IllegalArgumentException("compare: " + e.getMessage() + "; try compare --help", e);
    }
    if (options.has(help)) {
      out.print(HELP);
      return NO_SLOWER;
    }
    if (options.valuesOf(files).size() != 2) {
      throw new IllegalArgumentException("compare: which two files? try compare --help");
    }
    List<Results> before = read(options.valuesOf(files).get(0));
    List<Results> after = read(options.valuesOf(files).get(1));
    Runs runs = new Runs(before, after);
    List<Comparison> comparisons = runs.compare(method);
    boolean bad = comparisons.stream().anyMatch(comparison -> comparison.call().bad());
    if (runs.comparable() == 0 && !bad) {
      throw new IllegalArgumentException(
          "nothing can be compared: no row is proven in both runs with at least %d forks in each"
              .formatted(Method.LEAST_FORKS));
    }
    String words = words(method, runs.comparable());
    List<String> warnings = differences(before, after);
    out.print(Text.table(comparisons));
    out.println(words);
    warnings.forEach(out::println);
    out.println(Text.headline(comparisons));
    if (options.has(markdown)) {
      Files.writeString(
          Path.of(options.valueOf(markdown)),
          Text.markdown(comparisons, words, warnings),
          StandardCharsets.UTF_8);
    }
    return bad ? SLOWER : NO_SLOWER;
  }

  private static double share(String name, double value) {
    if (!(value > 0 && value < 1)) {
      throw new IllegalArgumentException(
          "--%s cannot be %s: it takes a number between 0 and 1".formatted(name, value));
    }
    return value;
  }

  private static List<Results> read(String files) throws IOException {
    List<Results> results = new ArrayList<>();
    for (String file : files.split(",", -1)) {
      try {
        results.add(ResultsFile.read(Path.of(file)));
      } catch (NoSuchFileException e) {
        throw new IllegalArgumentException("there is no file " + file, e);
      }
    }
    return results;
  }

  private static String words(Method method, int rows) {
    return String.format(
        Locale.ROOT,
        "Ratio of the mean rates, with a bootstrap interval over forks (%,d resamples, seed %d): %s %% for all %d rows together, %s %% each. Slower and faster: the interval excludes 1 and the rate changed by %s %% or more.",
        Ratio.RESAMPLES,
        method.seed(),
        percent(method.confidence()),
        rows,
        percent(method.sharedBy(rows).confidence()),
        percent(method.threshold()));
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.4g", 100 * share).replaceAll("\\.?0+$", "");
  }

  /** A rate does not travel from one machine to another. */
  private static List<String> differences(List<Results> before, List<Results> after) {
    List<String> differences = new ArrayList<>();
    differ(differences, "CPU", before, after, Environment::cpuModel);
    differ(differences, "number of cores", before, after, e -> String.valueOf(e.cores()));
    differ(differences, "kernel", before, after, Environment::kernel);
    differ(differences, "JDK", before, after, Environment::jdk);
    differ(differences, "JVM's flags", before, after, e -> String.join(" ", e.jvmFlags()));
    differ(differences, "set-up", before, after, Environment::setup);
    return differences;
  }

  private static void differ(
      List<String> differences,
      String what,
      List<Results> before,
      List<Results> after,
      Function<Environment, String> field) {
    List<String> first = before.stream().map(r -> field.apply(r.environment())).distinct().toList();
    List<String> second = after.stream().map(r -> field.apply(r.environment())).distinct().toList();
    if (!first.equals(second)) {
      differences.add(
          "The %s differs: %s before, %s after. Rates of different machines say nothing about the code."
              .formatted(what, String.join(" and ", first), String.join(" and ", second)));
    }
  }
}
