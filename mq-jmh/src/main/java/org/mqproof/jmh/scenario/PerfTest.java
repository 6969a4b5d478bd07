package org.mqproof.jmh.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A command line of RabbitMQ's PerfTest, translated: what a published command measured is measured
 * here, with a verdict. Stateless, thread-safe.
 *
 * <p>An option that changes what is measured and has no counterpart here is an error, never
 * ignored.
 */
public final class PerfTest {

  /** What the command takes. */
  public static final String HELP =
      """
      perftest OPTIONS [--scale X] [-- JMH's options]   runs what a PerfTest command line asks for

        --producers -x, --consumers -y, --rate -r (per producer), --publishing-interval,
        --confirm -c, --multi-ack-every -A, --qos -q, --size -s, --variable-size -vs SIZE:SECONDS,
        --time -z, --quorum-queue -qq, --queue-pattern-from, --queue-pattern-to
                             as PerfTest has them
        --flag -f persistent, --auto-delete -ad false, --exit-when empty, --queue -u,
        --queue-pattern -qp, --queue-args -qa x-max-in-memory-length=0
                             what is done here anyway
        --pmessages -C       not so many messages: a rate over --time; without producers a queue
                             that is filled before (-- -p prefill=N)
        --scale X            multiplies times and counts, for example 0.01 for a quick look
        -- -p system=NAME    and any other parameter or option of JMH (default -p system=rabbitmq)
      Every other option of PerfTest is an error: it would measure something else.
      Example: java -jar benchmarks.jar perftest -x 1 -y 1 -r 10000 -c 3000 -A 3000 -q 3000 -s 100 -z 60
      """;

  private static final int STAMP_BYTES = 32;
  private static final int DEFAULT_SECONDS = 60;
  private static final int PREFILL = 200_000;

  private static final Map<String, String> SHORT =
      Map.ofEntries(
          Map.entry("-x", "producers"),
          Map.entry("-y", "consumers"),
          Map.entry("-r", "rate"),
          Map.entry("-P", "publishing-interval"),
          Map.entry("-c", "confirm"),
          Map.entry("-A", "multi-ack-every"),
          Map.entry("-q", "qos"),
          Map.entry("-s", "size"),
          Map.entry("-vs", "variable-size"),
          Map.entry("-z", "time"),
          Map.entry("-C", "pmessages"),
          Map.entry("-qq", "quorum-queue"),
          Map.entry("-qpf", "queue-pattern-from"),
          Map.entry("-qpt", "queue-pattern-to"),
          Map.entry("-f", "flag"),
          Map.entry("-ad", "auto-delete"),
          Map.entry("-ew", "exit-when"),
          Map.entry("-u", "queue"),
          Map.entry("-qp", "queue-pattern"),
          Map.entry("-qa", "queue-args"));

  /** What is done here anyway, with the values that say so; an empty list takes any. */
  private static final Map<String, List<String>> ANYWAY =
      Map.of(
          "flag", List.of("persistent"),
          "auto-delete", List.of("false"),
          "exit-when", List.of("empty"),
          "pmessages", List.of(),
          "queue", List.of(),
          "queue-pattern", List.of(),
          "queue-args", List.of("x-max-in-memory-length=0"));

  private PerfTest() {}

  /**
   * Translates a command line.
   *
   * @param args PerfTest's options, then {@code --} and options of JMH if there are any
   * @return arguments for JMH
   * @throws IllegalArgumentException with one sentence if there is no translation
   */
  public static List<String> commandLine(List<String> args) {
    int end = args.indexOf("--");
    List<String> theirs = end < 0 ? args : args.subList(0, end);
    List<String> jmh = end < 0 ? List.of() : args.subList(end + 1, args.size());
    Map<String, List<String>> options = options(theirs);
    double scale = number(options, "scale").orElse(1.0);
    int producers = count(options, "producers", 1);
    int consumers = count(options, "consumers", 1);
    Map<String, String> params = new TreeMap<>();
    params.put("system", "rabbitmq");
    params.put("batch", "1");
    params.put("bodyBytes", sizes(options));
    params.put("mode", options.containsKey("quorum-queue") ? "queue.type=quorum" : "");
    number(options, "qos").ifPresent(qos -> params.put("settings", "prefetch=" + qos.intValue()));
    Map<String, String> line = new LinkedHashMap<>();
    line.put("-f", "1");
    line.put("-wi", "1");
    line.put("-w", "2s");
    line.put("-i", "3");
    line.put("-r", millis(scale * seconds(options) / 3));
    String benchmark;
    if (producers == 0) {
      benchmark = "ReceiveBenchmark";
      line.put("-t", Integer.toString(consumers));
      line.remove("-r");
      line.remove("-w");
      params.put("prefill", Long.toString(Math.max(1000, Math.round(scale * PREFILL))));
    } else if (consumers == 0) {
      benchmark = "SendBenchmark";
      line.put("-t", Integer.toString(producers));
    } else {
      line.put("-tg", producers + "," + consumers);
      Optional<Double> rate = rate(options);
      benchmark = rate.isPresent() ? "OpenLoopBenchmark" : "FlowBenchmark";
      rate.ifPresent(
          each -> params.put("rate", Long.toString(Math.max(1, Math.round(each * producers)))));
    }
    if (producers > 0) {
      params.put("async", Boolean.toString(options.containsKey("confirm")));
      number(options, "confirm").ifPresent(c -> params.put("window", "" + c.intValue()));
    } else {
      params.remove("batch");
    }
    if (consumers > 0) {
      params.put("receiveMax", Integer.toString(count(options, "multi-ack-every", 1)));
    }
    queues(options, benchmark).ifPresent(queues -> params.put("queues", queues));
    List<String> all = new ArrayList<>(List.of("\\." + benchmark + "\\."));
    line.forEach((name, value) -> all.addAll(List.of(name, value)));
    params.values().removeIf(String::isEmpty);
    for (int i = 0; i + 1 < jmh.size(); i += 2) {
      int equals = jmh.get(i + 1).indexOf('=');
      if (jmh.get(i).equals("-p") && equals > 0) {
        params.put(jmh.get(i + 1).substring(0, equals), jmh.get(i + 1).substring(equals + 1));
      } else if (all.contains(jmh.get(i))) {
        all.set(all.indexOf(jmh.get(i)) + 1, jmh.get(i + 1));
      } else {
        all.addAll(jmh.subList(i, i + 2));
      }
    }
    params.forEach((name, value) -> all.addAll(List.of("-p", name + "=" + value)));
    return all;
  }

  private static Map<String, List<String>> options(List<String> args) {
    Map<String, List<String>> options = new LinkedHashMap<>();
    for (int i = 0; i < args.size(); i++) {
      String given = args.get(i);
      String name = given.startsWith("--") ? given.substring(2) : SHORT.getOrDefault(given, "");
      boolean known = SHORT.containsValue(name) || name.equals("scale");
      if (!known) {
        throw new IllegalArgumentException(
            "perftest has no counterpart of '%s'; try perftest --help".formatted(given));
      }
      List<String> values = options.computeIfAbsent(name, n -> new ArrayList<>());
      if (name.equals("quorum-queue")) {
        continue;
      }
      if (i + 1 == args.size()) {
        throw new IllegalArgumentException("%s takes a value".formatted(given));
      }
      String value = args.get(++i);
      values.add(value);
      List<String> only = ANYWAY.getOrDefault(name, List.of());
      if (!only.isEmpty() && !only.contains(value)) {
        throw new IllegalArgumentException(
            "perftest has no counterpart of %s %s, only of %s"
                .formatted(given, value, String.join(", ", only)));
      }
    }
    return options;
  }

  private static String sizes(Map<String, List<String>> options) {
    List<String> sizes = new ArrayList<>();
    for (String size : options.getOrDefault("variable-size", List.of())) {
      sizes.add(size.replaceFirst(":.*", ""));
    }
    if (sizes.isEmpty()) {
      sizes.add(options.getOrDefault("size", List.of("12")).get(0));
    }
    return String.join(
        ",",
        sizes.stream()
            .map(size -> Math.max(STAMP_BYTES, (int) parse("size", size)))
            .distinct()
            .map(String::valueOf)
            .toList());
  }

  /** Of one size of body. */
  private static double seconds(Map<String, List<String>> options) {
    List<String> sizes = options.getOrDefault("variable-size", List.of());
    if (!sizes.isEmpty() && sizes.get(0).contains(":")) {
      return parse("variable-size", sizes.get(0).replaceFirst(".*:", ""));
    }
    return number(options, "time").orElse((double) DEFAULT_SECONDS);
  }

  /** Of one producer. */
  private static Optional<Double> rate(Map<String, List<String>> options) {
    Optional<Double> interval = number(options, "publishing-interval").map(each -> 1 / each);
    return interval.isPresent() ? interval : number(options, "rate").filter(rate -> rate > 0);
  }

  private static Optional<String> queues(Map<String, List<String>> options, String benchmark) {
    Optional<Double> from = number(options, "queue-pattern-from");
    Optional<Double> to = number(options, "queue-pattern-to");
    if (from.isEmpty() || to.isEmpty()) {
      return Optional.empty();
    }
    if (!benchmark.equals("OpenLoopBenchmark")) {
      throw new IllegalArgumentException(
          "perftest has several queues only with --rate or --publishing-interval");
    }
    return Optional.of(Integer.toString((int) (to.get() - from.get()) + 1));
  }

  private static int count(Map<String, List<String>> options, String name, int otherwise) {
    return number(options, name).map(Double::intValue).orElse(otherwise);
  }

  private static Optional<Double> number(Map<String, List<String>> options, String name) {
    List<String> values = options.getOrDefault(name, List.of());
    return values.isEmpty() ? Optional.empty() : Optional.of(parse(name, values.get(0)));
  }

  private static double parse(String name, String text) {
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value <= 1e9) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--%s cannot be '%s'".formatted(name, text), e);
    }
    throw new IllegalArgumentException("--%s cannot be '%s'".formatted(name, text));
  }

  private static String millis(double seconds) {
    return String.format(Locale.ROOT, "%.0fms", Math.max(100, seconds * 1000));
  }
}
