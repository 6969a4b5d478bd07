package org.mqproof.jmh.sustain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What follows {@code sustain} on the command line. Immutable.
 *
 * @param objective what has to be met
 * @param start the first rate to try, messages per second
 * @param most the largest one
 * @param step factor between neighbouring rates
 * @param fresh runs that confirm each end
 * @param jmh options and parameters for JMH
 */
public record SustainArgs(
    Objective objective, long start, long most, double step, int fresh, List<String> jmh) {

  /** What the command takes, and what it answers. */
  public static final String HELP =
      """
      sustain -p system=NAME [options]   the largest rate that meets an objective, as an interval

        --p99 MS             the objective: a 99th percentile of at most so many milliseconds
                             (default 100), a backlog that does not grow, nothing lost
        --of processing      of which latency: processing (from the moment a send was due to the
                             receive; default) or response (to the confirmation of the send)
        --from RATE          the first rate to try, msgs/s (default 1000); it doubles from there
        --to RATE            the largest one (default 1000000)
        --step PERCENT       how fine the answer is (default 10)
        --confirm N          fresh runs that have to agree at each end (default 3)
        -p, -tg, -wi, -i ... any other parameter of OpenLoopBenchmark, any option of JMH
                             (default -f 1 -wi 1 -w 2s -i 3 -r 5s per run)
      At the lower end of the interval every fresh run met the objective, at the upper end none.
      Exit code: 0 a rate is sustained, 1 none is, 2 nothing was measured.
      Example: java -jar benchmarks.jar sustain -p system=artemis --p99 50 --from 2000 -tg 2,2
      """;

  private static final long MOST_RATE = 100_000_000;

  /**
   * Reads them.
   *
   * @param args what follows {@code sustain}
   * @return the arguments
   * @throws IllegalArgumentException with one sentence if one of them is wrong
   */
  public static SustainArgs of(List<String> args) {
    double p99 = 100;
    Objective.Of latency = Objective.Of.PROCESSING;
    long start = 1000;
    long most = 1_000_000;
    double step = 10;
    int fresh = 3;
    List<String> jmh = new ArrayList<>(List.of("-f", "1", "-wi", "1", "-w", "2s", "-i", "3"));
    jmh.addAll(List.of("-r", "5s"));
    for (int i = 0; i < args.size(); i += 2) {
      String option = args.get(i);
      if (!option.startsWith("-") || i + 1 == args.size()) {
        throw new IllegalArgumentException(
            "sustain takes options with a value each, like --p99 50 or -p batch=10, and not '%s'; try sustain --help"
                .formatted(option));
      }
      String value = args.get(i + 1);
      switch (option) {
        case "--p99" -> p99 = number(option, value, 0.001, 3_600_000);
        case "--of" -> latency = latency(value);
        case "--from" -> start = (long) number(option, value, 1, MOST_RATE);
        case "--to" -> most = (long) number(option, value, 1, MOST_RATE);
        case "--step" -> step = number(option, value, 1, 100);
        case "--confirm" -> fresh = (int) number(option, value, 1, 100);
        default -> replace(jmh, option, value);
      }
    }
    if (start > most) {
      throw new IllegalArgumentException(
          "--from %d is above --to %d: nothing could be tried".formatted(start, most));
    }
    return new SustainArgs(
        new Objective(latency, p99), start, most, 1 + step / 100, fresh, List.copyOf(jmh));
  }

  private static void replace(List<String> jmh, String option, String value) {
    if (option.equals("-p") && value.startsWith("rate=")) {
      throw new IllegalArgumentException("sustain sets the rate itself: --from and --to bound it");
    }
    int at = jmh.indexOf(option);
    if (at >= 0 && !option.equals("-p")) {
      jmh.set(at + 1, value);
    } else {
      jmh.addAll(List.of(option, value));
    }
  }

  private static Objective.Of latency(String text) {
    try {
      return Objective.Of.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--of cannot be '%s': it takes processing or response".formatted(text), e);
    }
  }

  private static double number(String option, String text, double least, double most) {
    try {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(wrong(option, text, least, most), e);
    }
    throw new IllegalArgumentException(wrong(option, text, least, most));
  }

  private static String wrong(String option, String text, double least, double most) {
    return String.format(
        Locale.ROOT,
        "%s cannot be '%s': it takes a number from %s to %,.0f",
        option,
        text,
        least,
        most);
  }

  /**
   * One run.
   *
   * @param messagesPerSecond its rate
   * @return arguments for JMH
   */
  public List<String> commandLine(long messagesPerSecond) {
    List<String> line = new ArrayList<>(List.of("\\.OpenLoopBenchmark\\."));
    line.addAll(jmh);
    line.addAll(List.of("-p", "rate=" + messagesPerSecond));
    return line;
  }
}
