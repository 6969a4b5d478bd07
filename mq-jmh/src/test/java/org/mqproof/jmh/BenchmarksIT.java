package org.mqproof.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.jmh.systems.AdapterJar;
import org.mqproof.jmh.trial.TrialFile;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.Latency;
import org.mqproof.report.OpenLoop;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.Standing;
import org.mqproof.report.compare.CompareCommand;
import org.mqproof.report.lint.LintCommand;

/** Runs benchmarks.jar as a user does, in a JVM of its own. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BenchmarksIT {

  /** One short fork. */
  private static final List<String> SHORT =
      List.of("-f", "1", "-wi", "1", "-w", "300ms", "-i", "3", "-r", "300ms");

  @SuppressWarnings("NullAway.Init") // by JUnit
  @TempDir
  Path directory;

  @Test
  void flowThroughMemoryIsProvenAndEverythingIsWritten() throws Exception {
    BenchmarksJar.Run run =
        shortRun("FlowBenchmark", "-tg", "2,1", "-p", "system=memory", "-p", "batch=1..10");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    assertThat(run.output()).contains("at-least-once holds; ").doesNotContain("~~");
    assertThat(run.lastLine()).endsWith("report.html");
    assertThat(directory.resolve("report.html")).isNotEmptyFile();
    assertThat(directory.resolve("jmh-result.json"))
        .content()
        .contains("org.mqproof.jmh.FlowBenchmark.flow", "processing.p99", "verdict.lost");

    Row row = onlyRow();
    assertThat(row.target().system()).isEqualTo("memory");
    assertThat(row.load().senders()).isEqualTo(2);
    assertThat(row.load().receivers()).isEqualTo(1);
    assertThat(row.standing()).isEqualTo(Standing.PROVEN);
    assertThat(row.headline().messagesPerSecond()).isGreaterThan(1_000);
    assertThat(row.headline().iterations()).hasSize(3);
    assertThat(row.headline().error()).isNotNull();
    assertThat(row.rates().sent()).isNotNull();
    assertThat(row.latencies().send()).isNotNull();
    assertThat(row.cost().cpuMicrosPerMessage()).isPositive();
    assertThat(row.cost().allocatedBytesPerMessage()).isGreaterThan(100);
    assertThat(row.timeline().stream().mapToLong(Second::received).sum())
        .as("every message is in the timeline")
        .isEqualTo(verdict(row).delivered() + verdict(row).duplicated());

    try (Stream<Path> files = Files.list(directory)) {
      Path log =
          files
              .filter(file -> file.toString().endsWith("-processing.hlog"))
              .findFirst()
              .orElseThrow();
      long samples = 0;
      try (HistogramLogReader reader = new HistogramLogReader(log.toFile())) {
        for (var next = reader.nextIntervalHistogram();
            next != null;
            next = reader.nextIntervalHistogram()) {
          samples += ((Histogram) next).getTotalCount();
        }
      }
      assertThat(samples).isEqualTo(Objects.requireNonNull(row.latencies().processing()).count());
    }
    doesNotContradictItself();
  }

  @Test
  void sendAndReceiveThroughMemoryAreProven() throws Exception {
    BenchmarksJar.Run run =
        shortRun(
            "SendBenchmark|ReceiveBenchmark",
            "-p",
            "system=memory",
            "-p",
            "settings=capacity=50000000",
            "-p",
            "async=false,true",
            "-p",
            "prefill=20000",
            "-p",
            "leadIn=5000",
            "-p",
            "backlog=10000");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    List<Row> rows = results().rows();
    assertThat(rows)
        .extracting(row -> row.load().benchmark())
        .containsExactlyInAnyOrder("SendBenchmark", "SendBenchmark", "ReceiveBenchmark");
    assertThat(rows).allMatch(row -> row.standing() == Standing.PROVEN);
    doesNotContradictItself();
    assertThat(rows).allMatch(row -> row.headline().messagesPerSecond() > 1_000);
    Row receive =
        rows.stream()
            .filter(row -> row.load().benchmark().equals("ReceiveBenchmark"))
            .findFirst()
            .orElseThrow();
    assertThat(verdict(receive).confirmed()).as("4 iterations").isEqualTo(4 * 25_000);
    assertThat(Objects.requireNonNull(receive.rates().acked()).messagesPerSecond())
        .as("as many acks as receives end no sooner; WindowTest: and no later than the last")
        .isPositive()
        .isLessThanOrEqualTo(receive.headline().messagesPerSecond());
    assertThat(receive.latencies().processing()).as("would be the time since the prefill").isNull();
  }

  /** In the command's JVM, which checks it, and in the fork's, which measures it. */
  @Test
  void anAdapterFromOutsideOfTheJarIsMeasured(@TempDir Path adapters) throws Exception {
    AdapterJar.write(
        adapters.resolve("outside.jar"),
        "Outside",
        AdapterJar.provider("Outside", "outside"),
        "com.example.Outside");
    List<String> args = new ArrayList<>(SHORT);
    args.addAll(List.of("FlowBenchmark", "-p", "system=outside"));

    BenchmarksJar.Run run =
        BenchmarksJar.run(
            directory, List.of("-Dmqproof.adapters=" + adapters), args.toArray(String[]::new));

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    assertThat(onlyRow().target().system()).isEqualTo("outside");
    assertThat(onlyRow().standing()).isEqualTo(Standing.PROVEN);
  }

  @Test
  void anAdapterThatIsNotThereIsSaidInOneSentence() throws Exception {
    BenchmarksJar.Run run = BenchmarksJar.run(directory, List.of("-Dmqproof.adapters=none"), "-lp");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.USAGE);
    assertThat(run.output())
        .isEqualTo("-Dmqproof.adapters: there is no directory %s%n", directory.resolve("none"));
  }

  /** Bouncy Castle: other tests of Pulsar have it from what makes their certificates. */
  @Test
  void pulsarsClientHasInTheJarWhatTlsTakes() throws Exception {
    URL jar = Path.of("target", "benchmarks.jar").toUri().toURL();
    try (URLClassLoader alone =
        new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
      String name = "org.apache.pulsar.common.util.SecurityUtility";

      assertThat(Class.forName(name, true, alone).getClassLoader()).isSameAs(alone);
    }
  }

  /** One after the other in one JVM, and the same system without a fault among them. */
  @Test
  @Execution(ExecutionMode.CONCURRENT) // most of it is a wait
  void whatIsWrongWithASystemStrikesItsRowOut() throws Exception {
    List<String> args = new ArrayList<>(SHORT);
    args.set(args.indexOf("-f") + 1, "0");
    args.addAll(List.of("FlowBenchmark", "-p", "system=broken", "-p"));
    args.add("mode=fault=lose,fault=acks-without-end,fault=forget-acks,fault=reorder,fault=none");

    BenchmarksJar.Run run = run(args.toArray(String[]::new));

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.BROKEN);
    assertThat(results().rows()).hasSize(5);
    assertThat(directory.resolve("report.html")).isNotEmptyFile();

    Row loses = broken("lose", run, "at-least-once broken: ");
    assertThat(verdict(loses).lost())
        .as("one of each thousand")
        .isEqualTo(verdict(loses).attempted() / 1000);
    assertThat(run.output()).contains("lost: sender 0");

    // Confirmed and delivered, and nothing of it settled.
    Row neverAcks = broken("acks-without-end", run, "at-least-once not proven: nothing acked; ");
    assertThat(verdict(neverAcks).acks().inDoubt()).isEqualTo(verdict(neverAcks).delivered());
    assertThat(Objects.requireNonNull(neverAcks.rates().acked()).messagesPerSecond()).isZero();
    assertThat(neverAcks.headline().messagesPerSecond()).isPositive();
    assertThat(run.output())
        .contains("of what was received while measuring, acks of 0 % completed");

    // What it says it has settled is there again for the next receiver.
    Row forgets = broken("forget-acks", run, " delivered after ack");
    assertThat(verdict(forgets).lost()).isZero();

    // Where it declares an order.
    Row reorders = broken("reorder", run, " reordered (nonmonotonic send)");
    assertThat(verdict(reorders).lost()).isZero();

    assertThat(faulty("none").standing()).isEqualTo(Standing.PROVEN);
    assertThat(run.output().lines().filter(line -> line.contains("~~ ")).count())
        .as("rows that are struck out")
        .isEqualTo(4);
  }

  private Row broken(String fault, BenchmarksJar.Run run, String judgement) throws IOException {
    Row row = faulty(fault);
    assertThat(row.standing()).as(fault).isEqualTo(Standing.VOID);
    assertThat(verdict(row).judgement().words()).as(fault).contains(judgement);
    assertThat(run.output()).contains(judgement);
    return row;
  }

  private Row faulty(String fault) throws IOException {
    return results().rows().stream()
        .filter(row -> ("fault=" + fault).equals(row.load().params().get("mode")))
        .findFirst()
        .orElseThrow();
  }

  /** The same load through a queue that costs nothing, and which part of that the row has. */
  @Test
  void aRowIsHeldAgainstTheCeilingOfTheHarness() throws Exception {
    List<String> args = new ArrayList<>(List.of("calibrate"));
    args.addAll(SHORT);
    args.addAll(List.of("FlowBenchmark", "-p", "system=broken"));

    BenchmarksJar.Run run = run(args.toArray(String[]::new));

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    List<Row> rows = results().rows();
    assertThat(rows).extracting(row -> row.target().system()).containsExactly("broken", "memory");
    assertThat(Objects.requireNonNull(rows.get(0).proof().selfCheck()).ceilingShare())
        .isEqualTo(
            rows.get(0).headline().messagesPerSecond()
                / rows.get(1).headline().messagesPerSecond());
    assertThat(Objects.requireNonNull(rows.get(1).proof().selfCheck()).ceilingShare()).isNull();
  }

  /** Neither printed nor in any file, whether it works or not. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"password=#,password=#;fault=lose | 1", "password=#;no.such.setting=1     | 2"})
  void aPasswordIsShownNowhere(String settings, int exitCode) throws Exception {
    String password = "planted-by-a-test";
    BenchmarksJar.Run run =
        shortRun(
            "FlowBenchmark",
            "-p",
            "system=broken",
            "-p",
            "settings=" + settings.replace("#", password));

    assertThat(run.exitCode()).as(run.output()).isEqualTo(exitCode);
    assertThat(run.output()).doesNotContain(password);
    if (exitCode != Command.USAGE) {
      assertThat(run.output()).as("what JMH prints").contains("password.file=");
      assertThat(results().rows())
          .hasSize(2)
          .allSatisfy(
              row ->
                  assertThat(row.load().params().get("settings"))
                      .as("the same in each run")
                      .startsWith("password.file=(not shown)"))
          .extracting(Row::standing)
          .containsExactly(Standing.PROVEN, Standing.VOID);
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), ISO_8859_1))
            .as(file.toString())
            .doesNotContain(password);
      }
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT) // most of it is a wait
  void aSystemThatLosesEverythingHoldsNobodyUpForEver() throws Exception {
    BenchmarksJar.Run run =
        shortRun("FlowBenchmark", "-p", "system=broken", "-p", "mode=fault=swallow", "-tg", "2,2");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.BROKEN);
    Row row = onlyRow();
    assertThat(verdict(row).lost()).isPositive().isEqualTo(verdict(row).confirmed());
    assertThat(run.output())
        .contains("~~0 ")
        .contains("broken: ")
        .contains("failed: no message got");
  }

  @Test
  void aSystemThatRefusesEverythingEndsAtOnceAndSaysWhy() throws Exception {
    BenchmarksJar.Run run =
        shortRun("SendBenchmark", "-p", "system=broken", "-p", "mode=fault=refuse");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.BROKEN);
    assertThat(run.output())
        .contains("FAILED")
        .contains("failed: 50 sends in a row failed; the last: broken: refused");
  }

  /** One thread dies before it meets the others, which must not wait for it. */
  @Test
  void aThreadThatDiesInItsSetUpEndsTheTrialAndSaysWhy() throws Exception {
    BenchmarksJar.Run run =
        shortRun(
            "FlowBenchmark",
            "-p",
            "system=memory",
            "-p",
            "bodyBytes=100000000",
            "-p",
            "batch=10",
            "-p",
            "backlog=1",
            "-jvmArgsAppend",
            "-Xmx256m");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.BROKEN);
    assertThat(run.output()).contains("failed: Java heap space");
  }

  /** A link, or a device such as /dev/null, which must not be replaced by a file. */
  @Test
  void whatTheOutputGoesToIsWrittenAndNotReplaced() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "an earlier run");
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);

    BenchmarksJar.Run run =
        shortRun(
            "FlowBenchmark", "-p", "system=memory", "-p", "ledger=false", "-o", link.toString());

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    assertThat(run.output())
        .as("without a ledger nothing is verified")
        .contains("not verified")
        .doesNotContain("holds");
    assertThat(onlyRow().latencies().processing()).isNotNull();
    assertThat(link).isSymbolicLink();
    assertThat(file)
        .content()
        .contains("org.mqproof.jmh.FlowBenchmark.flow")
        .doesNotContain("an earlier run");
  }

  /** It would collect garbage for minutes before it died. */
  @Test
  void aQueueThatWouldFillThisJvmIsRefused() throws Exception {
    BenchmarksJar.Run run =
        shortRun("SendBenchmark", "-p", "system=memory", "-p", "bodyBytes=1048576");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.BROKEN);
    assertThat(run.output())
        .contains(
            "failed: memory keeps messages in this JVM, and 1000000 of 1048576 bytes do not fit"
                + " into half of its memory, ");
  }

  /** Each send would wait for room as long as a call may, and 50 of them in a row. */
  @Test
  @Execution(ExecutionMode.CONCURRENT) // most of it is a wait
  void aPrefillThatDoesNotFitIsRefused() throws Exception {
    BenchmarksJar.Run run =
        shortRun("ReceiveBenchmark", "-p", "system=memory", "-p", "settings=capacity=1000");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.BROKEN);
    assertThat(run.output())
        .contains(
            "failed: the queue takes no more than ",
            " messages, and prefill and leadIn are 250000 for each receiver: ");
  }

  /** Of 6,000 sends two take 200 ms: no percentile of the calls shows it, and users would. */
  @Test
  void anOpenLoopShowsAStallThatTheCallsThemselvesHide() throws Exception {
    BenchmarksJar.Run run =
        stalledOpenLoop("-Dmqproof.test.stallEvery=3000", "3", "1s", "rate=2000");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    Row row = onlyRow();
    OpenLoop openLoop = Objects.requireNonNull(row.latencies().openLoop());
    Latency service = Objects.requireNonNull(row.latencies().send());
    Latency response = Objects.requireNonNull(openLoop.response());
    // What was overdue as measuring began waited no longer than the longest response.
    long overdue = 2_000 * response.maxNanos() / TimeUnit.SECONDS.toNanos(1);
    assertThat(openLoop.due()).isBetween(5_900L, 6_100L + overdue);
    assertThat(openLoop.unsent()).isZero();
    assertThat(service.count()).isEqualTo(response.count()).isEqualTo(openLoop.due());
    assertThat(service.maxNanos()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(199));
    assertThat(service.p999Nanos()).isLessThan(TimeUnit.MILLISECONDS.toNanos(100));
    assertThat(response.p999Nanos()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
    assertThat(run.output()).contains("the generator itself was late by");
    doesNotContradictItself();
  }

  /** A send takes 5 ms at least: 200 of 1,000 messages a second. */
  @Test
  void anOpenLoopThatIsNotHeldCountsWhatWasNeverBegun() throws Exception {
    BenchmarksJar.Run run =
        stalledOpenLoop(
            "-Dmqproof.test.stallEvery=1 -Dmqproof.test.stallMillis=5", "2", "2s", "rate=1000");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    Row row = onlyRow();
    OpenLoop openLoop = Objects.requireNonNull(row.latencies().openLoop());
    Latency service = Objects.requireNonNull(row.latencies().send());
    Latency response = Objects.requireNonNull(openLoop.response());
    assertThat(openLoop.unsent()).isGreaterThan(openLoop.due() / 2);
    assertThat(response.count())
        .isEqualTo(openLoop.due())
        .isEqualTo(service.count() + openLoop.unsent());
    // One schedule of 4.3 s and 2 s of catching up twice, of which a fifth was sent.
    assertThat(response.maxNanos()).isGreaterThan(TimeUnit.SECONDS.toNanos(4));
    assertThat(run.output()).contains("in doubt: the rate was not held");
    doesNotContradictItself();
  }

  private BenchmarksJar.Run stalledOpenLoop(
      String stalls, String iterations, String time, String rate) throws Exception {
    return run(
        "OpenLoopBenchmark",
        "-f",
        "1",
        "-wi",
        "1",
        "-w",
        "300ms",
        "-i",
        iterations,
        "-r",
        time,
        "-jvmArgsAppend",
        stalls,
        "-p",
        "system=stalled",
        "-p",
        rate);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT) // most of it is a wait
  void aBacklogIsBuiltAndDrainedAndDroppedAcksComeAgain() throws Exception {
    BenchmarksJar.Run run =
        run(
            "OpenLoopBenchmark",
            "-f",
            "1",
            "-wi",
            "1",
            "-w",
            "300ms",
            "-i",
            "3",
            "-tg",
            "3,3",
            "-r",
            "2s",
            "-p",
            "system=memory",
            "-p",
            "rate=1000",
            "-p",
            "queues=3",
            "-p",
            "buildUp=300",
            "-p",
            "dropPercent=10",
            "-p",
            "workMicros=10");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    Verdict verdict = verdict(onlyRow());
    assertThat(verdict.holds()).isTrue();
    assertThat(verdict.duplicated()).as(run.output()).isBetween(450L, 750L); // 10 % of 6,000
    assertThat(verdict.deliveredAfterAck()).isZero();
    assertThat(run.output())
        .contains("3 of 3 backlogs were built and drained: built in ")
        .contains("deliveries were not acked on purpose");
  }

  @Test
  void theSustainableRateIsAskedFor() throws Exception {
    BenchmarksJar.Run run =
        run(
            "sustain",
            "-p",
            "system=memory",
            "--p99",
            "2000",
            "--from",
            "2000",
            "--to",
            "4000",
            "--confirm",
            "1",
            "-wi",
            "0",
            "-i",
            "1",
            "-r",
            "3s");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    assertThat(run.output())
        .contains("sustained: at least 4,000 msgs/s (p99 of the processing latency <= 2000 ms,")
        .contains("at 4,000 msgs/s 1 of 1 fresh runs met it");
    assertThat(results().rows())
        .extracting(row -> row.load().params().get("rate"))
        .containsExactly("2000", "4000", "4000");
  }

  @Test
  void aScenarioRunsScaledAndStandsBesideTheStudy() throws Exception {
    BenchmarksJar.Run run =
        run(
            "scenario",
            "s0-scaling",
            "--scale",
            "0.1",
            "-p",
            "system=memory",
            "-i",
            "1",
            "-wi",
            "0");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    assertThat(results().rows()).extracting(row -> row.load().senders()).containsExactly(1, 5, 25);
    assertThat(run.output())
        .contains("s0-scaling: Send and receive with 1, 5 and 25 threads")
        .contains("The study published no figure for what was run here.")
        .contains("Not as in the study: ");
  }

  @Test
  void growthChangesOneAmountAtATimeAndDrawsTheCost() throws Exception {
    BenchmarksJar.Run run =
        run("scenario", "growth", "--scale", "0.02", "--axis", "messages", "-i", "1");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    assertThat(results().rows())
        .extracting(row -> row.load().params().get("earlier"))
        .containsExactly("2000", "20000", "200000");
    Row last = results().rows().get(2);
    Verdict verdict = Objects.requireNonNull(last.proof().verdict());
    assertThat(verdict.attempted()).as("all went through the queue").isGreaterThan(200_000);
    assertThat(verdict.delivered()).isEqualTo(verdict.attempted());
    assertThat(last.cost().ledgerBytesPerMessage()).isBetween(0.001, 1.0);
    assertThat(run.output())
        .contains("of 3 forks done, about")
        .contains("Cost of a message by messages through the ledger (memory,")
        .contains("Note: each amount has a fresh JVM")
        .doesNotContain("the study");
    assertThat(Files.readString(directory.resolve("report.html"))).contains("Cost against work");
  }

  /** Five JVMs of each row, one after the other; whether this machine is quiet is not asked. */
  @Test
  void theOverviewHasFourRowsWhoseForksTookTurns() throws Exception {
    BenchmarksJar.Run run =
        run(
            "overview",
            "-p",
            "system=memory",
            "-f",
            "2",
            "-wi",
            "1",
            "-w",
            "300ms",
            "-i",
            "2",
            "-r",
            "300ms",
            "-p",
            "prefill=2000");

    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    List<Row> rows = results().rows();
    assertThat(rows)
        .extracting(row -> row.load().benchmark())
        .containsExactly("FlowBenchmark", "FlowBenchmark", "OpenLoopBenchmark", "ReceiveBenchmark");
    assertThat(rows).allMatch(row -> row.headline().forks() == 2);
    OpenLoop openLoop = Objects.requireNonNull(rows.get(2).latencies().openLoop());
    assertThat(openLoop.messagesPerSecond())
        .as("half of what the second row reached; 1 where that is not known")
        .isGreaterThan(1);
    assertThat(openLoop.responseP99NanosByFork()).hasSize(2);
    List<TrialFile> trials = TrialFile.readAll(directory, 0);
    assertThat(trials)
        .extracting(trial -> trial.benchmark().replaceAll(".*\\.(\\w+)Benchmark.*", "$1"))
        .as("a turn that warms up, and two that measure")
        .containsExactly(
            "Flow",
            "Flow",
            "OpenLoop",
            "Receive",
            "Flow",
            "Flow",
            "OpenLoop",
            "Receive",
            "Flow",
            "Flow",
            "OpenLoop",
            "Receive");
    assertThat(run.output())
        .contains("11 of 12 forks done, about ")
        .contains("memory here: ")
        .contains("2 forks, and how much forks differ takes 5");
    doesNotContradictItself();
  }

  /** Real files of real forks; whether they are noisy is not asked. */
  @Test
  void aRunIsComparedWithItself() throws Exception {
    BenchmarksJar.Run run =
        run("FlowBenchmark", "-p", "system=memory", "-f", "5", "-wi", "0", "-i", "2", "-r", "50ms");
    assertThat(run.exitCode()).as(run.output()).isEqualTo(Command.PROVEN);
    String file = directory.resolve("results.json").toString();

    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    int exitCode = CompareCommand.run(List.of(file, file), new PrintStream(printed, true, UTF_8));

    assertThat(exitCode).as(printed.toString(UTF_8)).isEqualTo(Command.PROVEN);
    assertThat(printed.toString(UTF_8)).contains("FlowBenchmark memory 1+1").contains(" 1.000 ");
  }

  @Test
  void parametersAreListed() throws Exception {
    BenchmarksJar.Run run = run("-lp");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output())
        .contains("org.mqproof.jmh.SendBenchmark.send")
        .contains("org.mqproof.jmh.ReceiveBenchmark.receive")
        .contains("org.mqproof.jmh.FlowBenchmark.flow")
        .contains("param \"batch\" = {1..10}")
        .contains("param \"system\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-h", "--help"})
  void helpIsThatOfJmhAndOurs(String option) throws Exception {
    BenchmarksJar.Run run = run(option);

    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).contains("-wi <int>").contains("-p system=NAME");
  }

  private void doesNotContradictItself() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    int exitCode =
        LintCommand.run(
            List.of(directory.resolve("results.json").toString()),
            new PrintStream(printed, true, UTF_8));
    assertThat(exitCode).as(printed.toString(UTF_8)).isEqualTo(Command.PROVEN);
    assertThat(printed.toString(UTF_8)).contains(" 0 contradictions");
  }

  private static Verdict verdict(Row row) {
    return Objects.requireNonNull(row.proof().verdict());
  }

  private Row onlyRow() throws IOException {
    assertThat(results().rows()).hasSize(1);
    return results().rows().get(0);
  }

  private Results results() throws IOException {
    return ResultsFile.read(directory.resolve("results.json"));
  }

  private BenchmarksJar.Run shortRun(String... args) throws Exception {
    List<String> all = new ArrayList<>(SHORT);
    all.addAll(List.of(args));
    return run(all.toArray(String[]::new));
  }

  private BenchmarksJar.Run run(String... args) throws Exception {
    return BenchmarksJar.run(directory, args);
  }
}
