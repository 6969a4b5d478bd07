package org.mqproof.jmh;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.systems.UsageException;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What JMH is about to run: every benchmark with every combination of its parameters, all checked
 * before the first fork. Immutable.
 *
 * @param trials in no particular order
 */
record Plan(List<Planned> trials) {

  /**
   * One benchmark with one value per parameter.
   *
   * @param benchmark its full name as JMH has it
   * @param params values by name
   */
  record Planned(String benchmark, Map<String, String> params) {

    TrialParams parsed() {
      return TrialParams.of(params);
    }
  }

  /**
   * Plans what the command line asks for.
   *
   * @param options the command line, read by JMH
   * @param given names of the parameters that it sets
   * @throws UsageException if a parameter is one that no chosen benchmark has, or an option would
   *     give numbers that are not what they seem
   */
  static Plan of(CommandLineOptions options, Collection<String> given) throws UsageException {
    refuseOtherMeasures(options);
    requireExpressions(options.getIncludes());
    requireExpressions(options.getExcludes());
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    List<Planned> trials = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (BenchmarkListEntry entry :
        BenchmarkList.defaultList()
            .find(
                OutputFormatFactory.createFormatInstance(nowhere, VerboseMode.SILENT),
                options.getIncludes(),
                options.getExcludes())) {
      requireThreads(entry, options);
      Map<String, List<String>> values = new LinkedHashMap<>();
      Map<String, String[]> defaults = entry.getParams().orElse(Map.of());
      defaults.forEach(
          (name, otherwise) ->
              values.put(
                  name, List.copyOf(options.getParameter(name).orElse(Arrays.asList(otherwise)))));
      names.addAll(values.keySet());
      combine(values).forEach(params -> trials.add(new Planned(entry.getUsername(), params)));
    }
    Set<String> unknown = new LinkedHashSet<>(given);
    unknown.removeAll(names);
    if (!unknown.isEmpty() && !trials.isEmpty()) {
      throw new UsageException(
          "no chosen benchmark has a parameter %s; they have %s"
              .formatted(String.join(", ", unknown), String.join(", ", names)));
    }
    return new Plan(List.copyOf(trials));
  }

  /**
   * Checks every parameter but not yet the settings.
   *
   * @throws UsageException with one sentence that says what is wrong
   */
  List<TrialParams> parsed() throws UsageException {
    try {
      return trials.stream().map(Planned::parsed).distinct().collect(Collectors.toList());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void requireExpressions(Collection<String> expressions) throws UsageException {
    for (String expression : expressions) {
      try {
        Pattern unused = Pattern.compile(expression);
      } catch (PatternSyntaxException e) {
        throw new UsageException(
            "'%s' cannot name benchmarks: as a regular expression it is wrong: %s"
                .formatted(expression, e.getDescription()),
            e);
      }
    }
  }

  /** Every rate is of messages per second, and every row has its latencies anyway. */
  private static void refuseOtherMeasures(CommandLineOptions options) throws UsageException {
    for (Mode mode : options.getBenchModes()) {
      if (mode != Mode.Throughput) {
        throw new UsageException(
            "-bm %s is not for these benchmarks: they count messages per second (thrpt), and every row has its latencies"
                .formatted(mode.shortLabel()));
      }
    }
    TimeUnit unit = options.getTimeUnit().orElse(TimeUnit.SECONDS);
    if (unit != TimeUnit.SECONDS) {
      throw new UsageException(
          "-tu %s is not for these benchmarks: every rate is of messages per second"
              .formatted(unit.name().toLowerCase(Locale.ROOT)));
    }
    if (options.getOperationsPerInvocation().hasValue()) {
      throw new UsageException(
          "-opi is not for these benchmarks: they count messages, whatever an operation has of them");
    }
  }

  /** A group of senders and receivers needs both. */
  private static void requireThreads(BenchmarkListEntry entry, CommandLineOptions options)
      throws UsageException {
    if (!options.getThreadGroups().hasValue()) {
      return;
    }
    int sides = entry.getThreadGroups() == null ? 1 : entry.getThreadGroups().length;
    int[] asked = options.getThreadGroups().get();
    if (sides == 1) {
      throw new UsageException(
          "-tg is not for %s, whose threads all do the same: -t says how many"
              .formatted(simpleName(entry)));
    }
    if ((asked.length != sides || Arrays.stream(asked).anyMatch(n -> n < 1))) {
      throw new UsageException(
          "-tg %s cannot be: %s takes SENDERS,RECEIVERS, at least one of each"
              .formatted(
                  Arrays.stream(asked).mapToObj(String::valueOf).collect(Collectors.joining(",")),
                  simpleName(entry)));
    }
  }

  private static String simpleName(BenchmarkListEntry entry) {
    return entry.getUsername().replaceAll("^.*\\.(\\w+)\\.\\w+$", "$1");
  }

  private static List<Map<String, String>> combine(Map<String, List<String>> values) {
    List<Map<String, String>> combinations = List.of(Map.of());
    for (Map.Entry<String, List<String>> param : values.entrySet()) {
      List<Map<String, String>> more = new ArrayList<>();
      for (Map<String, String> combination : combinations) {
        for (String value : param.getValue()) {
          Map<String, String> one = new LinkedHashMap<>(combination);
          one.put(param.getKey(), value);
          more.add(one);
        }
      }
      combinations = more;
    }
    return combinations;
  }
}
