package org.mqproof.jmh.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.mqproof.report.Row;

/**
 * What follows {@code overview} on the command line. Immutable.
 *
 * @param options of JMH that were given, each with its value
 * @param params of the benchmarks, by name
 */
public record OverviewArgs(Map<String, String> options, Map<String, String> params) {

  /** What {@code --help} prints. */
  public static final String HELP =
      """
      overview -p system=NAME [JMH's options]   the main job: four rows about one system

        1. FlowBenchmark, one send after the other
        2. FlowBenchmark, up to 100 batches under way
        3. OpenLoopBenchmark at half the rate that the second row reached when it warmed up
        4. ReceiveBenchmark of as many messages as that row moves in 2 s
      Their forks take turns. Takes some 6 min with kafka; with -wf 0 -f 1 2 min, and rough numbers.
        -p, -tg, -f, -r ...      replace what it runs with; a parameter goes to the rows that have it
                                 (default -wf 1 -f 5 -wi 1 -w 6s -i 3 -r 1s; third row -w 4s -i 8)
        -v NORMAL                what JMH itself prints; silent without
      Exit code: 0 every rate is proven, 1 one is not, 2 nothing was measured.
      Example: java -jar benchmarks.jar overview -p system=rabbitmq
      """;

  /** The rows, in their order. */
  public enum Line {
    /** A send at a time, received meanwhile. */
    ONE_BY_ONE("FlowBenchmark"),
    /** Sends overlap, received meanwhile. */
    PIPELINED("FlowBenchmark"),
    /** At half of the rate of the pipelined row. */
    OPEN_LOOP("OpenLoopBenchmark"),
    /** Received from a queue that was filled before. */
    RECEIVE("ReceiveBenchmark");

    private final String benchmark;

    Line(String benchmark) {
      this.benchmark = benchmark;
    }

    /** What sets the row apart; {@code half} of the pipelined row's rate, messages per second. */
    private Map<String, String> params(long half) {
      return switch (this) {
        case ONE_BY_ONE -> Map.of("async", "false");
        case PIPELINED -> Map.of("async", "true");
        case OPEN_LOOP -> Map.of("async", "true", "batch", "1..10", "rate", Long.toString(half));
        case RECEIVE -> receive(Math.min(half, MOST_LEAD_IN));
      };
    }

    /** What a client prefetches is taken before the measurement begins. */
    private static Map<String, String> receive(long leadIn) {
      return Map.of("prefill", Long.toString(4 * leadIn), "leadIn", Long.toString(leadIn));
    }

    /** Options of JMH other than the default: a percentile takes longer to measure than a rate. */
    private Map<String, String> options() {
      return this == OPEN_LOOP ? Map.of("-w", "4s", "-i", "8") : Map.of();
    }

    /** The caller's parameters that are for other rows. */
    private Set<String> others() {
      return switch (this) {
        case ONE_BY_ONE, PIPELINED -> Set.of("prefill", "leadIn", "awaitAcks");
        case OPEN_LOOP -> Set.of("backlog", "prefill", "leadIn", "awaitAcks");
        case RECEIVE -> Set.of("batch", "window", "backlog");
      };
    }
  }

  /** A million messages to receive are enough of the fastest system. */
  private static final long MOST_LEAD_IN = 250_000;

  private static final Map<String, String> DEFAULTS =
      Map.of("-wf", "1", "-f", "5", "-wi", "1", "-w", "6s", "-i", "3", "-r", "1s", "-v", "SILENT");

  /** Groups of senders and receivers; the receive benchmark has one group of threads. */
  private static final String GROUPS = "-tg";

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException with one sentence if it is no list of options with a value
   *     each, or sets what tells the rows apart
   */
  public static OverviewArgs of(List<String> args) {
    OwnArgs given = OwnArgs.of("overview", args);
    Map<String, String> params = given.params();
    Set<String> own = new TreeSet<>(params.keySet());
    own.retainAll(Set.of("async", "rate"));
    if (!own.isEmpty()) {
      throw new IllegalArgumentException(
          "overview sets %s itself".formatted(String.join(" and ", own)));
    }
    if (params.values().stream().anyMatch(value -> value.contains(","))) {
      throw new IllegalArgumentException(
          "overview takes one value per parameter; for several, name a benchmark");
    }
    if ("memory".equals(params.get("system"))) {
      params.putIfAbsent("settings", "capacity=10000000"); // a hundred times its default
    }
    return new OverviewArgs(given.options(), params);
  }

  /** Forks of each row. */
  public int forks() {
    try {
      return Math.max(1, Integer.parseInt(options.getOrDefault("-f", DEFAULTS.get("-f"))));
    } catch (NumberFormatException e) {
      throw new IllegalStateException("JMH has read it before", e);
    }
  }

  /** Half of a row's rate, two digits of it; 1 where there is none yet. */
  public static long halfOf(List<Row> rows) {
    double half = rows.isEmpty() ? 0 : rows.get(0).headline().median() / 2;
    if (half < 1) {
      return 1;
    }
    double unit = Math.max(1, Math.pow(10, Math.floor(Math.log10(half)) - 1));
    return (long) (Math.floor(half / unit) * unit);
  }

  /**
   * The arguments for JMH of one row.
   *
   * @param half of the rate that the pipelined row has reached
   */
  public List<String> commandLine(Line row, long half) {
    List<String> line = new ArrayList<>(List.of("\\." + row.benchmark + "\\."));
    Map<String, String> chosen = new LinkedHashMap<>(DEFAULTS);
    chosen.putAll(row.options());
    chosen.putAll(options);
    chosen.forEach(
        (option, value) -> {
          if (row != Line.RECEIVE || !option.equals(GROUPS)) {
            line.addAll(List.of(option, value));
          }
        });
    Map<String, String> all = new LinkedHashMap<>(row.params(half));
    if (params.containsKey("prefill")) {
      all.remove("leadIn");
    }
    params.forEach(
        (name, value) -> {
          if (!row.others().contains(name)) {
            all.put(name, value);
          }
        });
    all.forEach((name, value) -> line.addAll(List.of("-p", name + "=" + value)));
    return line;
  }
}
