package org.mqproof.jmh.scenario;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An experiment, most often of a study: which benchmarks with which parameters, and which published
 * figures it stands beside. Plain data, read from {@code scenarios/NAME.yaml}; immutable.
 *
 * @param title what is measured, in one line
 * @param study which study, and where in it; begins with {@code none} if it is of no study
 * @param minutes how long it takes as it is, about, with the systems that it names
 * @param tenthSeconds how long it took with {@code --scale 0.1} on two cores that had other work
 *     too, by system; what stores fewer messages per second takes longer to fill what is to be
 *     received
 * @param axisSeconds how long the runs of one axis may take together; 0 sets no bound
 * @param options of JMH for every run, for example {@code -f} to {@code 1}
 * @param runs in their order
 * @param differs what is not as in the study, or what else a reader has to know, a sentence each
 * @param published figures of the study, or none where it has none
 */
public record Scenario(
    String title,
    String study,
    int minutes,
    Map<String, Integer> tenthSeconds,
    int axisSeconds,
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
          "s4-rate-ladder",
          "growth",
          "growth-whole");

  private static final String SYSTEM = "system";

  /** Parameters that are numbers of messages, which take time. */
  private static final List<String> COUNTS = List.of("prefill", "buildUp", "earlier");

  private static final Pattern SECONDS = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s)");

  /**
   * One benchmark with one or several numbers of threads.
   *
   * @param benchmark its short name
   * @param threads as JMH's {@code -t} takes them, or {@code -tg} for a benchmark of two groups
   * @param params values by name; a comma separates alternatives
   * @param axis which amount of work it makes larger, each alternative in a fork of its own, in
   *     their order; null if it is no such run
   * @param options of JMH that replace those of the scenario; null for none
   */
  public record Run(
      String benchmark,
      List<String> threads,
      Map<String, String> params,
      @Nullable String axis,
      @Nullable Map<String, String> options) {}

  /**
   * What JMH is given once.
   *
   * @param axis of the run that it is part of; null if that has none
   * @param args as on JMH's command line
   */
  public record Line(@Nullable String axis, List<String> args) {}

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
   *     prefill}, {@code buildUp}, {@code earlier}), above 0
   * @return in their order
   * @throws IllegalArgumentException if {@code own} is no list of options with a value each
   */
  public List<Line> lines(List<String> own, double scale) {
    OwnArgs given = OwnArgs.of("a scenario", own);
    Map<String, String> ownOptions = given.options();
    Map<String, String> ownParams = given.params();
    List<Line> lines = new ArrayList<>();
    for (Run run : runs) {
      String flag = run.threads().get(0).contains(",") ? "-tg" : "-t";
      String ownThreads = ownOptions.get(flag);
      for (String threads : ownThreads == null ? run.threads() : List.of(ownThreads)) {
        Map<String, String> all = new LinkedHashMap<>(options);
        if (run.options() != null) {
          all.putAll(run.options());
        }
        all.replaceAll((option, value) -> scaled(option, value, scale));
        all.putAll(ownOptions);
        all.remove("-t");
        all.remove("-tg");
        all.put(flag, threads);
        Map<String, String> params = new LinkedHashMap<>(run.params());
        for (String count : COUNTS) {
          params.computeIfPresent(count, (name, value) -> scaledCounts(value, scale));
        }
        if (isOfAnother(ownParams.get(SYSTEM), run)) {
          params.remove("mode"); // no other system has these settings
        }
        params.putAll(ownParams);
        for (Map<String, String> point : run.axis() == null ? List.of(params) : each(params)) {
          List<String> line = new ArrayList<>(List.of("\\." + run.benchmark() + "\\."));
          all.forEach((option, value) -> line.addAll(List.of(option, value)));
          point.forEach((name, value) -> line.addAll(List.of("-p", name + "=" + value)));
          lines.add(new Line(run.axis(), line));
        }
      }
    }
    return lines;
  }

  /** Every combination of the alternatives, in their order. */
  private static List<Map<String, String>> each(Map<String, String> params) {
    List<Map<String, String>> all = List.of(Map.of());
    for (Map.Entry<String, String> param : params.entrySet()) {
      List<Map<String, String>> more = new ArrayList<>();
      for (Map<String, String> one : all) {
        for (String value : param.getValue().split(",", -1)) {
          Map<String, String> next = new LinkedHashMap<>(one);
          next.put(param.getKey(), value);
          more.add(next);
        }
      }
      all = more;
    }
    return all;
  }

  /**
   * Whether others published the same experiment.
   *
   * @return false if it is one of our own
   */
  public boolean ofAStudy() {
    return !study.startsWith("none");
  }

  /**
   * The axes of its runs.
   *
   * @return in their order; empty if it has none
   */
  public List<String> axes() {
    return runs.stream().map(Run::axis).filter(Objects::nonNull).distinct().toList();
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

  private static String scaledCounts(String counts, double scale) {
    return Arrays.stream(counts.split(",", -1))
        .map(Integer::parseInt)
        .map(count -> Math.max(Math.min(1000, count), Math.round(count * scale)))
        .map(String::valueOf)
        .collect(Collectors.joining(","));
  }
}
