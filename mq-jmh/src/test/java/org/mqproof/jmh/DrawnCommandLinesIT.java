package org.mqproof.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;
import org.mqproof.report.Throughput;

/**
 * Draws command lines, of ours and of JMH's, right and wrong ones: each ends in time, with one
 * sentence or with a rate that is not more than the ledger counted.
 *
 * <p>{@code -Dmqproof.commandLines=300} draws so many, {@code -Dmqproof.seed=} others.
 */
class DrawnCommandLinesIT {

  private static final List<String> BENCHMARKS =
      List.of("FlowBenchmark", "SendBenchmark", "ReceiveBenchmark", "OpenLoopBenchmark");

  /** Values for each option; the first half of them, rounded up, is right. */
  private static final Map<String, List<String>> OPTIONS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("-f", List.of("1", "1", "2", "0", "-1")),
              Map.entry("-wi", List.of("0", "1", "-1")),
              Map.entry("-i", List.of("1", "2", "3", "0", "x")),
              Map.entry("-r", List.of("100ms", "300ms", "1s", "1ms", "soon")),
              Map.entry("-bm", List.of("thrpt", "avgt", "all", "xx")),
              Map.entry("-tu", List.of("s", "ms", "m", "xx")),
              Map.entry("-t", List.of("1", "2", "0", "x")),
              Map.entry("-tg", List.of("1,1", "2,1", "1,2", "3,2", "2,0", "1", "1,1,1", "x")),
              Map.entry("-bs", List.of("1", "10", "0")),
              Map.entry("-foe", List.of("true", "false", "x")),
              Map.entry("-gc", List.of("true", "x")),
              Map.entry("-prof", List.of("gc", "stack", "nosuch")),
              Map.entry("-rf", List.of("json", "csv", "xx")),
              Map.entry("-o", List.of("drawn.txt", "no/such/directory")),
              Map.entry("-v", List.of("SILENT", "NORMAL", "loud")),
              Map.entry("-jvmArgsAppend", List.of("-Xmx512m", "-XX:+NoSuch")),
              Map.entry("-wm", List.of("INDI", "BULK", "x")),
              Map.entry("-wf", List.of("0", "1", "-1")),
              Map.entry("-e", List.of("Nothing", "(")),
              Map.entry("--what", List.of("x"))));

  private static final Map<String, List<String>> PARAMS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("batch", List.of("1", "1..10", "1,10", "1000", "0", "10..1", "abc")),
              Map.entry("bodyBytes", List.of("32", "100", "1000", "10,100", "-1", "1", "x")),
              Map.entry("window", List.of("1", "100", "0", "99999999999")),
              Map.entry("async", List.of("true", "false", "true,false", "maybe")),
              Map.entry("receiveMax", List.of("1", "10", "100000", "0", "-1")),
              Map.entry("backlog", List.of("1", "100", "100000", "0", "x")),
              Map.entry("prefill", List.of("1", "1000", "20000", "0", "-1")),
              Map.entry("leadIn", List.of("0", "10", "-1")),
              Map.entry("rate", List.of("1", "500", "100000", "100,1000", "0", "x")),
              Map.entry("arrivals", List.of("constant", "poisson", "x")),
              Map.entry("queues", List.of("1", "5", "50", "0")),
              Map.entry("workMicros", List.of("0", "10", "-1")),
              Map.entry("dropPercent", List.of("0", "1", "101")),
              Map.entry("rttMillis", List.of("0", "10", "x")),
              Map.entry("ledger", List.of("true", "false", "x")),
              Map.entry("mode", List.of("", "capacity=100000", "x")),
              Map.entry(
                  "settings",
                  List.of(
                      "", "capacity=50000", "claim.period=50ms", "=", "nosuch=1", "capacity=0")),
              Map.entry("nosuch", List.of("1"))));

  private static final List<String> OURS =
      List.of(
          "overview",
          "overview -x",
          "overview -p system=nosuch",
          "scenario nosuch",
          "scenario s1-rtt -x",
          "sustain -p system=memory --p99 soon",
          "perftest --nosuch",
          "perftest -x a",
          "lint no.csv",
          "lint /dev/null",
          "compare a b",
          "verdict /dev/null",
          "merge no-directory",
          "report no.json",
          "report /dev/null --published x",
          "send -x",
          "receive --queue q",
          "delete-queue --queue q",
          "cluster nosuch",
          "clock x 1",
          "nosuch",
          "--version");

  @SuppressWarnings("NullAway.Init") // by JUnit
  @TempDir
  Path directory;

  private final Random random = new Random(Long.getLong("mqproof.seed", 1));

  @Test
  @Timeout(value = 90, unit = TimeUnit.MINUTES)
  void eachEndsWithASentenceOrARateThatTheLedgerBears() throws Exception {
    int lines = Integer.getInteger("mqproof.commandLines", 6);
    for (int i = 0; i < lines; i++) {
      List<String> line = random.nextInt(10) == 0 ? ours() : jmh();
      Path results = Files.createDirectory(directory.resolve("run" + i));
      BenchmarksJar.Run run = BenchmarksJar.run(results, line.toArray(String[]::new));
      try {
        check(run, results, seconds(line));
      } catch (AssertionError e) {
        throw new AssertionError(
            "command line %d: %s%n%s".formatted(i, String.join(" ", line), run.output()), e);
      }
    }
  }

  private List<String> ours() {
    return List.of(OURS.get(random.nextInt(OURS.size())).split(" "));
  }

  private List<String> jmh() {
    List<String> line = new ArrayList<>();
    line.add(random.nextInt(20) == 0 ? "No(" : draw(BENCHMARKS, BENCHMARKS.size()));
    line.addAll(List.of("-p", random.nextInt(20) == 0 ? "system=nosuch" : "system=memory"));
    for (String always : List.of("-f", "-wi", "-i", "-r")) {
      add(line, always, OPTIONS);
    }
    line.addAll(List.of("-w", "100ms"));
    for (int i = random.nextInt(3); i > 0; i--) {
      add(line, draw(List.copyOf(OPTIONS.keySet()), OPTIONS.size()), OPTIONS);
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      String name = draw(List.copyOf(PARAMS.keySet()), PARAMS.size());
      line.addAll(List.of("-p", name + "=" + value(PARAMS.getOrDefault(name, List.of("")))));
    }
    return line;
  }

  private void add(List<String> line, String option, Map<String, List<String>> from) {
    if (!line.contains(option)) {
      line.addAll(List.of(option, value(from.getOrDefault(option, List.of("")))));
    }
  }

  /** One in ten may be wrong. */
  private String value(List<String> values) {
    return draw(values, random.nextInt(10) == 0 ? values.size() : (values.size() + 1) / 2);
  }

  private String draw(List<String> values, int of) {
    return values.get(random.nextInt(of));
  }

  /** How long an iteration takes at least. */
  private static double seconds(List<String> line) {
    String time = line.contains("-r") ? line.get(line.indexOf("-r") + 1) : "0s";
    double unit = time.endsWith("ms") ? 1e-3 : 1;
    return time.matches("\\d+m?s") ? unit * Integer.parseInt(time.replaceAll("\\D", "")) : 0;
  }

  private static void check(BenchmarksJar.Run run, Path results, double seconds) throws Exception {
    assertThat(run.exitCode()).isIn(Command.PROVEN, Command.BROKEN, Command.USAGE);
    assertThat(run.output()).doesNotContain("Exception in thread");
    if (run.exitCode() == Command.USAGE) {
      assertThat(run.output().strip()).isNotEmpty().doesNotContain("\tat ");
      assertThat(run.output().strip().lines().filter(line -> !isOfTheJvm(line)).count())
          .isLessThanOrEqualTo(3);
      return;
    }
    if (run.output().contains("\tat ")) { // JMH's, of a fork that failed
      assertThat(run.output()).contains(": failed: ");
    }
    Path file = results.resolve("results.json");
    if (Files.exists(file)) {
      for (Row row : ResultsFile.read(file).rows()) {
        check(row, seconds);
      }
    }
  }

  /** JDK 24 and newer warn of JMH's use of Unsafe, and of that of clients. */
  private static boolean isOfTheJvm(String line) {
    return line.startsWith("WARNING: ");
  }

  /** What was received in the iterations cannot be more than the ledger counted. */
  private static void check(Row row, double seconds) {
    Verdict verdict = row.proof().verdict();
    Throughput received = row.rates().received();
    if (verdict == null || received == null || row.failed()) {
      return;
    }
    assertThat(received.messagesPerSecond()).isPositive();
    if (!row.load()
        .benchmark()
        .equals("ReceiveBenchmark")) { // whose iterations end with their messages
      double inIterations =
          seconds
              * received.iterations().stream()
                  .mapToDouble(Throughput.Iteration::messagesPerSecond)
                  .sum();
      assertThat(inIterations)
          .isLessThanOrEqualTo(1.01 * (verdict.delivered() + verdict.duplicated()));
    }
  }
}
