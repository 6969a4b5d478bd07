package org.mqproof.jmh.nodes;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.mqproof.Traits;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.jmh.measure.ValidityChecks;
import org.mqproof.jmh.measure.Windows;
import org.mqproof.jmh.nodes.NodeArgs.Role;
import org.mqproof.ledger.History;
import org.mqproof.ledger.Verdict;
import org.mqproof.report.DeclaredTraits;
import org.mqproof.report.Environment;
import org.mqproof.report.HtmlReport;
import org.mqproof.report.Latency;
import org.mqproof.report.Results;
import org.mqproof.report.ResultsFile;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.TextTable;
import org.mqproof.report.Throughput;

/**
 * Puts together what the nodes of one run left: their histories make one verdict, their histograms
 * one distribution, to the last sample. For one thread, once.
 */
public final class Merge {

  private static final String BENCHMARK = "Nodes";

  private final MergeArgs args;
  private final List<NodeFile> nodes = new ArrayList<>();
  private final List<Path> histories = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** Whether the histories are all there and receivers outlasted senders. */
  private boolean whole = true;

  private Merge(MergeArgs args) {
    this.args = args;
  }

  /**
   * Merges and writes the report.
   *
   * @return whether the rate counts: at-least-once holds
   * @throws IOException if files cannot be read or written
   * @throws IllegalArgumentException with one sentence if nothing can be judged
   */
  public static boolean run(MergeArgs args, PrintStream out) throws IOException {
    Merge merge = new Merge(args);
    merge.readNodes();
    merge.readHistories();
    Row row = merge.row();
    Environment machine = merge.nodes.get(0).environment();
    Results results =
        new Results(
            new Environment(
                machine.startedAt(),
                args.setup(),
                machine.cpuModel(),
                machine.cores(),
                machine.memoryBytes(),
                machine.disks(),
                machine.kernel(),
                machine.jdk(),
                machine.jvmFlags(),
                machine.brokers(),
                machine.version(),
                machine.commit()),
            List.of(row));
    ResultsFile.write(args.directory().resolve("results.json"), results);
    Path report = args.directory().resolve("report.html");
    HtmlReport.write(report, results);
    out.print(TextTable.of(List.of(row)));
    out.println("report: " + report.toAbsolutePath());
    return row.counts();
  }

  private void readNodes() throws IOException {
    for (Path file : args.files(NodeFile.SUFFIX)) {
      try {
        nodes.add(NodeFile.read(file));
      } catch (IOException e) {
        fail("%s cannot be used: %s".formatted(file.getFileName(), e.getMessage()));
      }
    }
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("no node of a run left a file in " + args.places());
    }
    Set<String> names = new HashSet<>();
    for (NodeFile node : nodes) {
      if (!names.add(node.task().node())) {
        throw new IllegalArgumentException("two nodes have the name " + node.task().node());
      }
      if (!node.ended()) {
        fail(node.task().node() + " was killed or still ran when its files were collected");
      }
      String failure = node.failure();
      if (failure != null) {
        fail(node.task().node() + ": " + failure);
      }
    }
    // They are named, did nothing, and their seconds have no beginning.
    nodes.removeIf(node -> node.times().startMillis() == NodeArgs.NOT_AGREED);
    if (nodes.isEmpty()) {
      throw new IllegalArgumentException("no node began: " + String.join("; ", notes));
    }
    nodes.sort(
        Comparator.comparing((NodeFile node) -> node.task().role())
            .thenComparing(node -> node.task().node()));
    requireSame("run", node -> node.task().run(), nodes);
    requireSame("queue", node -> node.task().queue(), nodes);
    requireSame("system", NodeFile::system, nodes);
    requireSame("settings", node -> node.task().settings(), nodes);
    for (Role role : Role.values()) {
      requireSame("start", node -> node.times().startMillis(), of(role));
      requireSame("warm-up", node -> node.times().warmupSeconds(), of(role));
      requireSame("measured time", node -> node.times().measuredSeconds(), of(role));
    }
    for (String name : args.expected()) {
      if (!names.contains(name)) {
        fail(name + " left no file: its share of the rates and latencies is missing");
      }
    }
    requirePatience();
  }

  private <T> void requireSame(String what, Function<NodeFile, T> of, List<NodeFile> among) {
    for (NodeFile node : among) {
      NodeFile first = among.get(0);
      if (!Objects.equals(of.apply(node), of.apply(first))) {
        throw new IllegalArgumentException(
            "%s and %s are not of one run: %s %s and %s"
                .formatted(
                    first.task().node(),
                    node.task().node(),
                    what,
                    of.apply(first),
                    of.apply(node)));
      }
    }
  }

  /** A receiver that stopped listening before the last send was safe has not received it all. */
  private void requirePatience() {
    for (NodeFile sender : of(Role.SEND)) {
      for (NodeFile receiver : of(Role.RECEIVE)) {
        long listened = receiver.done().stoppedMillis() - sender.done().stoppedMillis();
        // A node that did not come so far has said why.
        if (sender.done().stoppedMillis() > 0
            && receiver.done().stoppedMillis() > 0
            && listened < TimeUnit.SECONDS.toMillis(receiver.times().idleSeconds()) / 2) {
          fail(
              "%s stopped %d ms after the last send of %s: less than half of its idle time"
                  .formatted(receiver.task().node(), listened, sender.task().node()));
          whole = false;
        }
      }
    }
  }

  private void readHistories() throws IOException {
    Set<String> left = new HashSet<>();
    for (Path file : args.files(NodeFile.HISTORY)) {
      try {
        History alone = History.read(List.of(file));
        History.Part part = alone.parts().get(0);
        if (!part.complete()) {
          fail(
              "the history of %s ends at %s, before its end (%,d bytes left out)"
                  .formatted(part.name(), part.until(), part.leftOut()));
        }
        histories.add(file);
        left.add(String.valueOf(file.getFileName()).replace(NodeFile.HISTORY, ""));
      } catch (IllegalArgumentException e) {
        fail("%s cannot be used: %s".formatted(file.getFileName(), cause(file, e)));
      }
    }
    Set<String> expected = new HashSet<>(args.expected());
    nodes.forEach(node -> expected.add(node.task().node()));
    expected.removeAll(left);
    for (String name : new TreeSet<>(expected)) {
      fail(name + " left no history: what it did is not known");
      whole = false;
    }
  }

  /** Without the directory, which is of no use to a reader elsewhere. */
  private static String cause(Path file, IllegalArgumentException e) {
    return String.valueOf(e.getMessage()).replace(file.toString(), "it");
  }

  private void fail(String what) {
    notes.add(Row.FAILED + what);
  }

  private List<NodeFile> of(Role role) {
    return nodes.stream().filter(node -> node.task().role() == role).toList();
  }

  private Row row() throws IOException {
    @Nullable Verdict verdict = null;
    if (!histories.isEmpty()) {
      History history = History.read(histories, whole);
      requireRun(history.run());
      verdict = history.verdict();
      if (history.beyond() > 0) {
        notes.add(
            "%,d messages were received of senders whose history does not have them; they count as attempted, outcome unknown"
                .formatted(history.beyond()));
      }
      checkCounts(verdict);
    }
    long origin = nodes.stream().mapToLong(node -> node.times().startMillis()).min().orElseThrow();
    TreeMap<Integer, Sum> seconds = new TreeMap<>();
    nodes.forEach(node -> addTo(seconds, node, secondsAfter(origin, node)));
    @Nullable Latency send = latency(Role.SEND, seconds);
    @Nullable Latency processing = latency(Role.RECEIVE, seconds);
    if (!of(Role.SEND).isEmpty() && !of(Role.RECEIVE).isEmpty()) {
      notes.add(clocks());
    }
    notes.add("one run: run it again to see the spread");
    describeNodes();
    notes.addAll(args.notes());
    NodeFile known =
        nodes.stream()
            .filter(node -> node.promise().traits() != null)
            .findFirst()
            .orElse(nodes.get(0));
    DeclaredTraits traits = known.promise().traits();
    ProcessCost cost =
        nodes.stream().map(node -> node.done().cost()).reduce(ProcessCost.NONE, ProcessCost::plus);
    @Nullable Throughput sent = throughput(Role.SEND, seconds, origin);
    @Nullable Throughput received = throughput(Role.RECEIVE, seconds, origin);
    // A message has two sides, and its cost is that of both.
    double measured = Math.max(messages(sent), messages(received));
    if (measured == 0) {
      fail("no message got through while measuring");
    }
    return new Row(
        new Row.Load(
            BENCHMARK,
            params(),
            of(Role.SEND).stream().mapToInt(node -> node.task().threads()).sum(),
            of(Role.RECEIVE).stream().mapToInt(node -> node.task().threads()).sum()),
        new Row.Target(
            nodes.get(0).system(),
            args.brokerVersion(),
            args.brokers(),
            known.promise().mode().isEmpty() ? "unknown" : known.promise().mode(),
            traits == null ? DeclaredTraits.of(Traits.mode("unknown").build()) : traits,
            known.task().settings()),
        new Row.Rates(sent, received),
        new Row.Latencies(send, processing, null),
        timeline(seconds),
        new Row.Cost(
            measured == 0 ? null : cost.cpuNanos() / 1e3 / measured,
            measured == 0 ? null : cost.allocatedBytes() / measured,
            cost.gcMillis(),
            null),
        new Row.Proof(verdict, null, List.copyOf(notes)));
  }

  private void requireRun(int run) {
    if (run != nodes.get(0).task().run()) {
      throw new IllegalArgumentException(
          "the histories are of run %d and the nodes of run %d"
              .formatted(run, nodes.get(0).task().run()));
    }
  }

  /** What the nodes counted and what their histories hold are found by different ways. */
  private void checkCounts(Verdict verdict) {
    List<NodeFile> senders = of(Role.SEND);
    if (notes.isEmpty() && !senders.isEmpty()) {
      long counted = senders.stream().mapToLong(node -> node.done().messages()).sum();
      if (counted != verdict.confirmed()) {
        fail(
            "the senders counted %,d messages confirmed, their histories %,d"
                .formatted(counted, verdict.confirmed()));
      }
    }
  }

  /** What all nodes did in one second since the earliest start. */
  private static final class Sum {
    private final Map<Role, Distribution> times =
        Map.of(Role.SEND, new Distribution(), Role.RECEIVE, new Distribution());
    private long sent;
    private long received;
    private boolean measured;

    Distribution times(Role role) {
      return Objects.requireNonNull(times.get(role));
    }

    @Nullable Long p99(Role role) {
      return times(role).count() == 0 ? null : times(role).atPercentile(99);
    }
  }

  private static int secondsAfter(long originMillis, NodeFile node) {
    return Math.toIntExact(
        TimeUnit.MILLISECONDS.toSeconds(node.times().startMillis() - originMillis));
  }

  private static boolean measured(NodeFile node, int second) {
    long since = second - node.times().warmupSeconds();
    return since >= 0 && since < node.times().measuredSeconds();
  }

  private static void addTo(SortedMap<Integer, Sum> seconds, NodeFile node, int offset) {
    long samples = 0;
    for (NodeFile.Span span : node.done().seconds()) {
      Sum sum = seconds.computeIfAbsent(span.second() + offset, s -> new Sum());
      sum.measured |= measured(node, span.second());
      if (node.task().role() == Role.SEND) {
        sum.sent += span.messages();
      } else {
        sum.received += span.messages();
      }
      if (!span.times().isEmpty()) {
        Distribution times = Distribution.decode(span.times());
        samples += times.count();
        sum.times(node.task().role()).add(times);
      }
    }
    if (samples != node.done().samples()) {
      throw new IllegalArgumentException(
          "%s measured %,d times and its file holds %,d"
              .formatted(node.task().node(), node.done().samples(), samples));
    }
  }

  private @Nullable Latency latency(Role role, SortedMap<Integer, Sum> seconds) {
    Distribution all = new Distribution();
    Map<Integer, Windows> windows = new TreeMap<>();
    Timeline.WINDOW_SECONDS.forEach(length -> windows.put(length, new Windows(length)));
    seconds.forEach(
        (second, sum) -> {
          Distribution times = sum.times(role);
          if (times.count() > 0) {
            all.add(times);
            windows.values().forEach(window -> window.add(second, times));
          }
        });
    long samples = of(role).stream().mapToLong(node -> node.done().samples()).sum();
    if (all.count() != samples) {
      throw new IllegalStateException(
          "%,d times became %,d when they were merged".formatted(samples, all.count()));
    }
    Map<Integer, List<Windows.Tail>> tails = new TreeMap<>();
    windows.forEach((length, window) -> tails.put(length, window.tails()));
    return all.summary(tails);
  }

  private @Nullable Throughput throughput(Role role, SortedMap<Integer, Sum> seconds, long origin) {
    if (of(role).isEmpty()) {
      return null;
    }
    NodeFile one = of(role).get(0);
    int first = secondsAfter(origin, one) + Math.toIntExact(one.times().warmupSeconds());
    int end = first + Math.toIntExact(one.times().measuredSeconds());
    List<Throughput.Iteration> rates = new ArrayList<>();
    long messages = 0;
    for (int second = first; second < end; second++) {
      Sum sum = seconds.get(second);
      long count = sum == null ? 0 : role == Role.SEND ? sum.sent : sum.received;
      messages += count;
      rates.add(new Throughput.Iteration(1, count));
    }
    double rate = (double) messages / one.times().measuredSeconds();
    int bodyBytes = one.bodyBytes();
    return Throughput.of(rate, null, bodyBytes, rates);
  }

  private static double messages(@Nullable Throughput rate) {
    return rate == null
        ? 0
        : rate.iterations().stream().mapToDouble(Throughput.Iteration::messagesPerSecond).sum();
  }

  private static List<Second> timeline(SortedMap<Integer, Sum> seconds) {
    List<Second> timeline = new ArrayList<>();
    long backlog = 0;
    for (Map.Entry<Integer, Sum> entry : seconds.entrySet()) {
      Sum sum = entry.getValue();
      backlog += sum.sent - sum.received;
      timeline.add(
          new Second(
              1,
              entry.getKey(),
              sum.measured,
              sum.sent,
              sum.received,
              sum.p99(Role.SEND),
              sum.p99(Role.RECEIVE),
              backlog));
    }
    return timeline;
  }

  /** By how much a latency from one machine to another may be wrong. */
  private String clocks() {
    long worst = 0;
    long bound = 0;
    for (NodeFile sender : of(Role.SEND)) {
      for (NodeFile receiver : of(Role.RECEIVE)) {
        ClockOffset[] at = {
          sender.done().before(),
          receiver.done().before(),
          sender.done().after(),
          receiver.done().after()
        };
        for (int i = 0; i < at.length; i += 2) {
          ClockOffset here = at[i];
          ClockOffset there = at[i + 1];
          if (here == null || there == null) {
            return "the clocks of the nodes were not compared before and after: the error of the processing latency is not known";
          }
          long doubt = here.boundNanos() + there.boundNanos();
          bound = Math.max(bound, doubt);
          worst = Math.max(worst, Math.abs(here.offsetNanos() - there.offsetNanos()) + doubt);
        }
      }
    }
    return String.format(
        Locale.ROOT,
        "the processing latency is off by at most %.3f ms: so far apart were the clocks of a sender and a receiver before or after the run, as round trips to one clock tell to %.3f ms; nothing was corrected by it",
        worst / 1e6,
        bound / 1e6);
  }

  private void describeNodes() {
    for (NodeFile node : nodes.stream().filter(NodeFile::ended).toList()) {
      long messages =
          node.done().seconds().stream()
              .filter(span -> measured(node, span.second()))
              .mapToLong(NodeFile.Span::messages)
              .sum();
      notes.add(
          String.format(
              Locale.ROOT,
              "%s: %,.0f msgs/s %s by %d threads",
              node.task().node(),
              (double) messages / node.times().measuredSeconds(),
              node.task().role() == Role.SEND ? "sent" : "received",
              node.task().threads()));
      double busy =
          node.done().cost().cpuNanos()
              / 1e9
              / node.times().measuredSeconds()
              / Math.max(1, node.environment().cores());
      if (busy > ValidityChecks.MOST_CPU) {
        notes.add(
            "%s used %.0f %% of its cores: it may be what limits the rate"
                .formatted(node.task().node(), 100 * busy));
      }
    }
    count("messages whose send failed", node -> node.failures().failedSends());
    nodes.stream()
        .map(node -> node.failures().lastFailure())
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(failure -> notes.add("one failure: " + failure));
    count("receives that failed", node -> node.failures().failedReceives());
    count("acks that failed", node -> node.failures().failedAcks());
    Set<String> machines =
        nodes.stream()
            .map(NodeFile::environment)
            .map(e -> "%s, %d cores, %s".formatted(e.cpuModel(), e.cores(), e.jdk()))
            .collect(Collectors.toSet());
    if (machines.size() > 1) {
      notes.add("the nodes are not the same: " + String.join("; ", machines));
    }
  }

  private void count(String what, ToLongFunction<NodeFile> field) {
    long sum = nodes.stream().mapToLong(field).sum();
    if (sum > 0) {
      notes.add(String.format(Locale.ROOT, "%,d %s", sum, what));
    }
  }

  private Map<String, String> params() {
    Map<String, String> params = new TreeMap<>(nodes.get(0).task().params());
    params.put("senderNodes", Integer.toString(of(Role.SEND).size()));
    params.put("receiverNodes", Integer.toString(of(Role.RECEIVE).size()));
    return params;
  }
}
