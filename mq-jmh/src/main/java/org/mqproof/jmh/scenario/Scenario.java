package org.mqproof.jmh.scenario;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An experiment of a study: which benchmarks with which parameters, and which published figures it
 * stands beside. Plain data, read from {@code scenarios/NAME.yaml}; immutable.
 *
 * @param title what is measured, in one line
 * @param study which study, and where in it
 * @param minutes how long it takes as it is, about, with the systems that it names
 * @param tenthSeconds how long it took with {@code --scale 0.1} on two cores that had other work
 *     too, by system; what stores fewer messages per second takes longer to fill what is to be
 *     received
 * @param options of JMH for every run, for example {@code -f} to {@code 1}
 * @param runs in their order
 * @param differs what is not as in the study, a sentence each
 * @param published figures of the study, or none where it has none
 */
public record Scenario(
    String title,
    String study,
    int minutes,
    Map<String, Integer> tenthSeconds,
    Map<String, String> options,
    List<Run> runs,
    List<String> differs,
    List<Published> published) {

  /** All names, in the order of the studies. */
  public static final List<String> NAMES =
      List.of(
          "s0-scaling",
          "s0-sync-async",
          "s0-large-batches",
          "s0-redelivery",
          "s1-rtt",
          "s1-slow-consumer",
          "s1-burst",
          "s2-loopback",
          "s3-fast-queue",
          "s3-fixed-rate",
          "s3-many-queues",
          "s3-long-queue",
          "s4-backlog",
          "s4-rate-ladder");

  private static final String SYSTEM = "system";

  /** Parameters that are numbers of messages, which take time. */
  private static final List<String> COUNTS = List.of("prefill", "buildUp");

  private static final Pattern SECONDS = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s)");

  /**
   * One benchmark with one or several numbers of threads.
   *
   * @param benchmark its short name
   * @param threads as JMH's {@code -t} takes them, or {@code -tg} for a benchmark of two groups
   * @param params values by name; a comma separates alternatives
   */
  public record Run(String benchmark, List<String> threads, Map<String, String> params) {}

  /**
   * A row of the study; a figure that it does not have is null.
   *
   * @param row its name in the study's table, as the project's data have it
   * @param where which of our rows stands beside it: parameters by name, and the benchmark and its
   *     numbers of threads as the fields of a row are called
   * @param sent messages per second
   * @param received messages per second
   * @param sendP95Millis 95th percentile of the send latency
   * @param processingP95Millis 95th percentile of the processing latency
   */
  public record Published(
      String row,
      Map<String, String> where,
      @Nullable Double sent,
      @Nullable Double received,
      @Nullable Double sendP95Millis,
      @Nullable Double processingP95Millis) {}

  /**
   * Reads a scenario.
   *
   * @param name one of {@link #NAMES}
   * @return the scenario
   * @throws IllegalArgumentException if there is none of that name: one sentence with all names
   */
  public static Scenario named(String name) {
    if (!NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "there is no scenario '%s'; there are %s".formatted(name, String.join(", ", NAMES)));
    }
    String file = "/scenarios/" + name + ".yaml";
    try (InputStream in = Scenario.class.getResourceAsStream(file)) {
      return YAMLMapper.builder().build().readValue(in, Scenario.class);
    } catch (IOException e) {
      throw new IllegalStateException("the scenario " + name + " cannot be read", e);
    }
  }

  /**
   * How long it takes.
   *
   * @return part of a sentence, with the systems
   */
  public String time() {
    String tenth =
        tenthSeconds.entrySet().stream()
            .map(took -> took.getKey() + " " + took.getValue() + " s")
            .collect(Collectors.joining(", "));
    return "about %d min with %s%s"
        .formatted(
            minutes,
            runs.get(0).params().get(SYSTEM),
            tenth.isEmpty() ? "" : "; with --scale 0.1 it took " + tenth);
  }

  /**
   * The command lines that it takes. For another system than the scenario's they name no mode: that
   * is the adapter's default then.
   *
   * @param own options and parameters that replace those of the scenario, as on JMH's command line
   * @param scale factor for the time of an iteration and for messages that are counted ({@code
   *     prefill}, {@code buildUp}), above 0
   * @return arguments for JMH, a list per run
   * @throws IllegalArgumentException if {@code own} is no list of options with a value each
   */
  public List<List<String>> commandLines(List<String> own, double scale) {
    OwnArgs given = OwnArgs.of("a scenario", own);
    Map<String, String> ownOptions = given.options();
    Map<String, String> ownParams = given.params();
    List<List<String>> lines = new ArrayList<>();
    for (Run run : runs) {
      String flag = run.threads().get(0).contains(",") ? "-tg" : "-t";
      String ownThreads = ownOptions.get(flag);
      for (String threads : ownThreads == null ? run.threads() : List.of(ownThreads)) {
        Map<String, String> all = new LinkedHashMap<>(options);
        all.replaceAll((option, value) -> scaled(option, value, scale));
        all.putAll(ownOptions);
        all.remove("-t");
        all.remove("-tg");
        all.put(flag, threads);
        Map<String, String> params = new LinkedHashMap<>(run.params());
        for (String count : COUNTS) {
          params.computeIfPresent(
              count, (name, value) -> scaledCount(Integer.parseInt(value), scale));
        }
        if (isOfAnother(ownParams.get(SYSTEM), run)) {
          params.remove("mode"); // no other system has these settings
        }
        params.putAll(ownParams);
        List<String> line = new ArrayList<>(List.of("\\." + run.benchmark() + "\\."));
        all.forEach((option, value) -> line.addAll(List.of(option, value)));
        params.forEach((name, value) -> line.addAll(List.of("-p", name + "=" + value)));
        lines.add(line);
      }
    }
    return lines;
  }

  private static boolean isOfAnother(@Nullable String system, Run run) {
    return system != null && !system.equals(run.params().get(SYSTEM));
  }

  /** Only the length of iterations: fewer of them would have no error. */
  private static String scaled(String option, String value, double scale) {
    Matcher time = SECONDS.matcher(value);
    if (!List.of("-w", "-r").contains(option) || !time.matches()) {
      return value;
    }
    double millis = Double.parseDouble(time.group(1)) * (time.group(2).equals("s") ? 1000 : 1);
    return String.format(Locale.ROOT, "%.0fms", Math.max(100, millis * scale));
  }

  private static String scaledCount(int count, double scale) {
    return Long.toString(Math.max(Math.min(1000, count), Math.round(count * scale)));
  }
}
