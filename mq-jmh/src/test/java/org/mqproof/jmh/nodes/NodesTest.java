package org.mqproof.jmh.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.WallClock;
import org.mqproof.jmh.nodes.NodeArgs.Role;
import org.mqproof.ledger.History;
import org.mqproof.ledger.Judgement;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.Latency;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;

/**
 * Nodes of one run, here threads of one JVM that meet in a broker in memory. They run once; each
 * test has a copy of what they left.
 */
final class NodesTest {

  private static final int RUN = 77;

  /** Long enough for a busy machine: a node that is not ready by then does not take part. */
  private static final int LEAD_MILLIS = 20_000;

  private static Path left;
  private static String served;

  private final PrintStream out =
      new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
  private final Path directory;

  NodesTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    try (Stream<Path> files = Files.list(left)) {
      for (Path file : files.toList()) {
        Files.copy(file, directory.resolve(left.relativize(file)));
      }
    }
  }

  @BeforeAll
  static void runNodes(@TempDir Path shared) throws Exception {
    left = shared;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    long start = System.currentTimeMillis() + LEAD_MILLIS;
    Path agreed = left.resolve("start");
    int port = freePort();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (ClockServer clock = clock(0)) {
      List<Future<Boolean>> running = new ArrayList<>();
      for (NodeArgs node :
          List.of(
              args(Role.SEND, "s0", "--at", Long.toString(start), 0, clock),
              args(Role.SEND, "s1", "--start-file", agreed + "-s1", 2, clock),
              args(Role.RECEIVE, "r0", "--at", Long.toString(start), 0, clock),
              args(Role.RECEIVE, "r1", "--start-file", agreed + "-r1", 0, clock))) {
        String metrics = node.node().equals("r0") ? Integer.toString(port) : "";
        running.add(threads.submit(() -> NodeRun.run(node, metrics, out)));
      }
      for (String node : List.of("s1", "r1")) {
        Path ready = left.resolve("start-" + node + ".ready");
        while (!Files.exists(ready)) {
          assertThat(System.currentTimeMillis()).as(ready.toString()).isLessThan(start);
          TimeUnit.MILLISECONDS.sleep(20);
        }
        Path written = Files.writeString(left.resolve("part-" + node), start + "\n");
        Files.move(written, left.resolve("start-" + node), StandardCopyOption.ATOMIC_MOVE);
      }
      served = whatIsServed(port, start + LEAD_MILLIS);
      for (Future<Boolean> node : running) {
        assertThat(node.get(120, TimeUnit.SECONDS))
            .as(() -> said.toString(StandardCharsets.UTF_8))
            .isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** What a node tells of itself once it has received something. */
  private static String whatIsServed(int port, long untilMillis) throws Exception {
    URI address = URI.create("http://localhost:" + port + "/metrics");
    HttpRequest ask = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(10)).build();
    for (String text = ""; ; TimeUnit.MILLISECONDS.sleep(20)) {
      try {
        text = HttpClient.newHttpClient().send(ask, HttpResponse.BodyHandlers.ofString()).body();
      } catch (ConnectException e) {
        // It does not serve yet.
      }
      if (Pattern.compile("(?m)^mqproof_messages_received_total.* [1-9]").matcher(text).find()) {
        return text;
      }
      assertThat(System.currentTimeMillis()).as("served: " + text).isLessThan(untilMillis);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void aNodeTellsOfItselfWhileItRuns() {
    assertThat(served.lines())
        .anyMatch(
            line ->
                line.matches(
                    "mqproof_messages_received_total\\{benchmark=\"receive\",system=\"memory\"} \\d+"))
        .anyMatch(line -> line.startsWith("mqproof_measuring{"))
        .anyMatch(
            line -> line.matches("mqproof_processing_latency_seconds\\{.*quantile=\"0.99\"} .+"))
        .as("what no node knows alone")
        .noneMatch(line -> line.contains("backlog") || line.contains("verdict"));
  }

  @Test
  void twoSendersAndTwoReceiversAddUpToOneRun() throws Exception {
    Row row = merge("--expect", "s0,s1,r0,r1", "--brokers", "3", "--broker-version", "1.2");

    List<NodeFile> nodes = nodes();
    long confirmed = messages(nodes, Role.SEND);
    Verdict verdict = verdict(row);
    assertThat(row.proof().notes()).noneMatch(note -> note.startsWith(Row.FAILED));
    assertThat(confirmed).isPositive().isEqualTo(messages(nodes, Role.RECEIVE));
    assertThat(verdict.expected().withoutRedelivery().judge(verdict))
        .returns(true, Judgement::holds);
    assertThat(verdict.confirmed()).isEqualTo(confirmed);
    assertThat(verdict.delivered()).isEqualTo(confirmed);
    assertThat(verdict.acked()).isEqualTo(confirmed);
    // What one process would have counted, sample by sample.
    assertThat(samples(row.latencies().send())).isEqualTo(samples(nodes, Role.SEND)).isPositive();
    assertThat(samples(row.latencies().processing()))
        .isEqualTo(samples(nodes, Role.RECEIVE))
        .isPositive();
    assertThat(row.timeline().stream().mapToLong(second -> second.sent()).sum())
        .isEqualTo(confirmed);
    assertThat(row.timeline().stream().mapToLong(second -> second.received()).sum())
        .isEqualTo(confirmed);
    // Stamped by one clock and read by another, each with an origin of its own.
    Latency processing = Objects.requireNonNull(row.latencies().processing());
    assertThat(processing.negatives()).isZero();
    assertThat(processing.maxNanos()).isLessThan(TimeUnit.MINUTES.toNanos(2));
    assertThat(row.load().senders()).isEqualTo(4);
    assertThat(row.load().receivers()).isEqualTo(4);
    assertThat(row.target().nodes()).isEqualTo(3);
    assertThat(row.proof().notes())
        .anyMatch(note -> note.startsWith("the processing latency is off by at most "))
        .anyMatch(note -> note.matches("s1: [\\d,]+ msgs/s sent by 2 threads"));
    assertThat(Files.readString(directory.resolve("report.html"))).contains("Nodes");
  }

  @Test
  void theHistogramsOfNodesAddUpToTheLastSample() throws Exception {
    Distribution alone = new Distribution();
    for (NodeFile node : nodes()) {
      if (node.task().role() == Role.SEND) {
        for (NodeFile.Span span : node.done().seconds()) {
          if (!span.times().isEmpty()) {
            alone.add(Distribution.decode(span.times()));
          }
        }
      }
    }

    Row row = merge();

    Latency merged = Objects.requireNonNull(row.latencies().send());
    assertThat(merged.curve()).isEqualTo(Objects.requireNonNull(alone.summary(Map.of())).curve());
    assertThat(merged.count()).isEqualTo(alone.count());
    assertThat(merged.maxNanos()).isEqualTo(alone.max());
  }

  @Test
  void withoutAComparisonOfClocksTheErrorOfTheLatencyIsNotKnown() throws Exception {
    Path file = directory.resolve("r1.json");
    Files.writeString(
        file, Files.readString(file).replaceFirst("\"after\":\\{[^}]*\\}", "\"after\":null"));

    assertThat(merge().proof().notes())
        .anyMatch(note -> note.startsWith("the clocks of the nodes were not compared before and"));
  }

  @Test
  void aNodeThatLostASecondOfItsTimesIsRefused() throws Exception {
    Path file = directory.resolve("s0.json");
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("\"samples\":\\d+", "\"samples\":1"));

    assertThatThrownBy(this::merge)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("s0 measured 1 times and its file holds [\\d,]+");
  }

  @Test
  void aSenderThatWasKilledIsNamedAndTheRestIsJudged() throws Exception {
    // What SIGKILL leaves: the file of the start, and a history without its end.
    Path history = directory.resolve("s1.history");
    byte[] whole = Files.readAllBytes(history);
    Files.write(history, Arrays.copyOf(whole, whole.length / 2));
    Path file = directory.resolve("s1.json");
    Files.writeString(
        file, Files.readString(file).replaceFirst("\"ended\":true", "\"ended\":false"));

    Row row = merge();

    assertThat(row.failed()).isTrue();
    assertThat(row.proof().notes())
        .contains("failed: s1 was killed or still ran when its files were collected")
        .anyMatch(note -> note.startsWith("failed: the history of send s1 ends at "));
    Verdict verdict = verdict(row);
    assertThat(verdict.lost()).isZero();
    assertThat(verdict.unexpected()).isZero();
    assertThat(verdict.drained()).isFalse();
    assertThat(verdict.delivered()).isEqualTo(messages(nodes(), Role.RECEIVE));
    assertThat(verdict.recovered()).isPositive();
  }

  @Test
  void aSenderThatLeftNothingIsMissedAndItsMessagesAreNotCalledInvented() throws Exception {
    Files.delete(directory.resolve("s1.history"));
    Files.delete(directory.resolve("s1.json"));

    Row row = merge("--expect", "s0,s1,r0,r1");

    assertThat(row.proof().notes())
        .contains(
            "failed: s1 left no file: its share of the rates and latencies is missing",
            "failed: s1 left no history: what it did is not known")
        .anyMatch(note -> note.matches("[\\d,]+ messages were received of senders whose .*"));
    assertThat(verdict(row).unexpected()).isZero();
    assertThat(verdict(row).holds()).isFalse();
  }

  @Test
  void aReceiverThatLeftNothingLeavesItsMessagesUnverifiedAndNotLost() throws Exception {
    long of =
        messages(nodes(), Role.RECEIVE)
            - NodeFile.read(directory.resolve("r0.json")).done().messages();
    Files.delete(directory.resolve("r1.history"));

    Row row = merge();

    assertThat(verdict(row).lost()).isZero();
    assertThat(verdict(row).unverified()).isEqualTo(of);
    assertThat(row.proof().notes())
        .contains("failed: r1 left no history: what it did is not known");
  }

  @Test
  void aTruncatedNodeFileIsNamed() throws Exception {
    Path file = directory.resolve("r1.json");
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 40));

    Row row = merge("--expect", "s0,s1,r0,r1");

    assertThat(row.proof().notes())
        .contains("failed: r1.json cannot be used: it is not a whole file of a node");
    assertThat(verdict(row).holds()).as(verdict(row).judgement().words()).isTrue();
  }

  @Test
  void aReceiverThatStoppedBeforeTheSendersProvesNothing() throws Exception {
    Path file = directory.resolve("s0.json");
    String text = Files.readString(file);
    long late = NodeFile.read(directory.resolve("r0.json")).done().stoppedMillis() - 400;
    Files.writeString(
        file, text.replaceFirst("\"stoppedMillis\":\\d+", "\"stoppedMillis\":" + late));

    Row row = merge();

    assertThat(row.proof().notes())
        .contains(
            "failed: r0 stopped 400 ms after the last send of s0: less than half of its idle time");
    assertThat(verdict(row).drained()).isFalse();
  }

  @Test
  void aNodeThatComesTooLateDoesNotTakePart() throws Exception {
    NodeArgs late =
        NodeArgs.of(
            Role.SEND,
            List.of(
                "-p",
                "system=memory",
                "--queue",
                "q",
                "--node",
                "late",
                "--at",
                "1000",
                "--to",
                directory.toString()));

    assertThat(NodeRun.run(late, "", out)).isFalse();

    assertThat(NodeFile.read(directory.resolve("late.json")).failure())
        .matches("it was ready \\d+ ms after the agreed start; agree on a later one");
    assertThat(History.read(List.of(directory.resolve("late.history"))).verdict().attempted())
        .isZero();
  }

  @Test
  void aNodeThatFailedBeforeAStartWasAgreedOnIsNamedAndTheRestIsJudged() throws Exception {
    assertThat(NodeRun.run(unreachable("r1"), "", out)).isFalse();

    Row row = merge("--expect", "s0,s1,r0,r1");

    assertThat(directory.resolve("start.ready")).doesNotExist();
    assertThat(row.failed()).isTrue();
    assertThat(row.proof().notes())
        .anyMatch(note -> note.startsWith("failed: r1: "))
        .noneMatch(note -> note.startsWith("failed: r1 left no"));
    assertThat(verdict(row).delivered())
        .isEqualTo(NodeFile.read(directory.resolve("r0.json")).done().messages())
        .isPositive();
  }

  @Test
  void whereNoNodeBeganThereIsNothingToMerge() throws Exception {
    for (String node : List.of("s0", "s1", "r0", "r1")) {
      assertThat(NodeRun.run(unreachable(node), "", out)).isFalse();
    }

    assertThatThrownBy(this::merge)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no node began: failed: ");
  }

  @Test
  void aStartThatIsNoTimeIsSaid() throws Exception {
    Files.writeString(directory.resolve("start"), "soon");

    List<String> line = List.of("-p", "system=memory", "--queue", "q", "--node", "new");
    assertThat(NodeRun.run(startingLater(line), "", out)).isFalse();

    assertThat(directory.resolve("start.ready")).exists();
    assertThat(NodeFile.read(directory.resolve("new.json")).failure())
        .startsWith("the start cannot be 'soon': ");
  }

  /** In the place of one that did its part: nobody is at its broker, no start is agreed on. */
  private NodeArgs unreachable(String node) throws IOException {
    Files.delete(directory.resolve(node + NodeFile.HISTORY));
    String settings = "settings=addresses=127.0.0.1:1;connect.bound=100ms";
    return startingLater(
        List.of("-p", "system=rabbitmq", "-p", settings, "--queue", "q", "--node", node));
  }

  private NodeArgs startingLater(List<String> options) {
    List<String> line = new ArrayList<>(options);
    line.addAll(List.of("--run", Integer.toString(RUN), "--to", directory.toString()));
    line.addAll(List.of("--start-file", directory.resolve("start").toString()));
    return NodeArgs.of(Role.RECEIVE, line);
  }

  @Test
  void filesOfTwoRunsAreNotMerged() throws Exception {
    Path file = directory.resolve("s0.json");
    Files.writeString(file, Files.readString(file).replaceFirst("\"run\":77", "\"run\":78"));

    assertThatThrownBy(this::merge).hasMessage("s0 and s1 are not of one run: run 78 and 77");
  }

  @Test
  void whatANodeLeavesHasNoSecretAndNoAddress() throws IOException {
    Path connect = directory.resolve("connect");
    Files.writeString(connect, "password=hush-hush\nusername=someone\n");
    NodeArgs args =
        NodeArgs.of(
            Role.SEND,
            List.of(
                "-p",
                "system=rabbitmq",
                "-p",
                "settings=addresses=127.0.0.1:1;connect.bound=100ms",
                "--connect",
                connect.toString(),
                "--queue",
                "q",
                "--to",
                directory.toString()));
    assertThat(args.settings()).containsEntry("password", "hush-hush");

    assertThat(NodeRun.run(args, "", out)).isFalse(); // nobody is at that address

    NodeFile left = NodeFile.read(directory.resolve("send-0.json"));
    assertThat(left.task().settings())
        .containsEntry("addresses", "(1 addresses)")
        .containsEntry("password", "(not shown)");
    assertThat(left.task().params()).doesNotContainKey("settings");
    assertThat(Files.readString(directory.resolve("send-0.json"))).doesNotContain("hush");
  }

  @Test
  void aClockThatIsAheadIsFoundWithinItsBound() throws IOException {
    long ahead = TimeUnit.SECONDS.toNanos(3);
    try (ClockServer server = clock(ahead)) {
      WallClock here = WallClock.now();
      ClockOffset offset = ClockOffset.measure(address(server), here::epochNanos);

      assertThat(offset.boundNanos()).isBetween(1L, TimeUnit.MILLISECONDS.toNanos(100));
      assertThat(Math.abs(offset.offsetNanos() - ahead)).isLessThanOrEqualTo(offset.boundNanos());
    }
  }

  @Test
  void aWrongCommandLineIsOneSentence() {
    assertThatThrownBy(() -> NodeArgs.of(Role.SEND, List.of("-p", "system=memory")))
        .hasMessage("which queue? add --queue NAME");
    assertThatThrownBy(() -> NodeArgs.of(Role.SEND, List.of("-p", "system=memory", "-p", "rate=5")))
        .hasMessage("rate is for benchmarks in one process; a node has no such parameter");
    assertThatThrownBy(
            () ->
                NodeArgs.of(
                    Role.RECEIVE, List.of("-p", "system=memory", "--queue", "q", "--at", "noon")))
        .hasMessage(
            "the start cannot be 'noon': it takes 2026-01-31T12:00:00Z or milliseconds since 1970");
    assertThatThrownBy(
            () ->
                NodeArgs.of(
                    Role.RECEIVE,
                    List.of(
                        "-p", "system=memory", "--queue", "q", "--at", "1", "--start-file", "f")))
        .hasMessage("--at or --start-file, not both");
    assertThatThrownBy(() -> MergeArgs.of(List.of()))
        .hasMessage("merge: which directories? try merge --help");
  }

  /** Two threads each. */
  private static NodeArgs args(
      Role role, String node, String when, String start, int firstSender, ClockServer clock) {
    List<String> line =
        new ArrayList<>(
            List.of("-p", "system=memory", "-p", "settings=broker=nodes;capacity=2000"));
    line.addAll(List.of("--queue", "q", "--node", node, "--run", Integer.toString(RUN)));
    line.addAll(List.of("--threads", "2", "--first-sender", Integer.toString(firstSender)));
    line.addAll(List.of(when, start, "--seconds", "2", "--idle", "5"));
    line.addAll(List.of("--bound", "60", "--to", left.toString()));
    line.addAll(List.of("--clock", "127.0.0.1:" + clock.port()));
    return NodeArgs.of(role, line);
  }

  private Row merge(String... more) throws IOException {
    List<String> line = new ArrayList<>(List.of(directory.toString()));
    line.addAll(List.of("--to", directory.resolve("report").toString()));
    line.addAll(List.of(more));
    boolean counts = Merge.run(MergeArgs.of(line), out);
    Path to = directory.resolve("report");
    Row row = ResultsFile.read(to.resolve("results.json")).rows().get(0);
    Verdict verdict = row.proof().verdict();
    boolean proven = verdict != null && verdict.holds() && !row.failed();
    assertThat(counts).isEqualTo(proven);
    Files.move(to.resolve("report.html"), directory.resolve("report.html"));
    return row;
  }

  private static ClockServer clock(long aheadNanos) throws IOException {
    WallClock wall = WallClock.now();
    ClockServer server =
        new ClockServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            () -> wall.epochNanos() + aheadNanos);
    Thread thread =
        new Thread(
            () -> {
              try {
                server.serve(Duration.ofMinutes(5));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  private static InetSocketAddress address(ClockServer server) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }

  private List<NodeFile> nodes() throws IOException {
    List<NodeFile> nodes = new ArrayList<>();
    for (String name : List.of("s0", "s1", "r0", "r1")) {
      nodes.add(NodeFile.read(directory.resolve(name + NodeFile.SUFFIX)));
    }
    return nodes;
  }

  private static Verdict verdict(Row row) {
    return Objects.requireNonNull(row.proof().verdict());
  }

  private static long samples(@Nullable Latency latency) {
    return Objects.requireNonNull(latency).count();
  }

  private static long messages(List<NodeFile> nodes, Role role) {
    return nodes.stream()
        .filter(n -> n.task().role() == role)
        .mapToLong(node -> node.done().messages())
        .sum();
  }

  private static long samples(List<NodeFile> nodes, Role role) {
    return nodes.stream()
        .filter(n -> n.task().role() == role)
        .mapToLong(node -> node.done().samples())
        .sum();
  }
}
