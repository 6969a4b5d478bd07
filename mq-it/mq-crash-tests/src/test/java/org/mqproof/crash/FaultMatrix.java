package org.mqproof.crash;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The fault matrix as a document, made of runs and nothing else. */
final class FaultMatrix {

  /** What an upper bound holds with. */
  private static final double CONFIDENCE = 0.95;

  /** The rows, in the order of the document; a fault that is not here comes last. */
  private static final List<String> ORDER =
      List.of(
          "receiver SIGKILL",
          "receiver SIGKILL, backlog",
          "receiver crash loop",
          "held while others change",
          "sender SIGKILL",
          "leader SIGKILL",
          "follower SIGKILL",
          "rolling restart",
          "cluster SIGKILL",
          PowerCut.ALL_NODES,
          "power cut of the leader",
          "power cut of the last in sync",
          "leader SIGSTOP",
          "leader isolated",
          "clients cut off",
          "slow network");

  private static final String BEFORE =
      """
      # The fault matrix

      Made by a test from the runs in `fault-matrix.tsv`, never by hand. Each cell is a system in one of its modes, and a
      fault that strikes at a random moment while senders and receivers work. The test checks that the fault took effect.
      Then work must continue through the same connection, and a ledger judges every message.

      **SIGKILL on one machine does not test the loss of power**: data that a process had written to the operating system
      still reaches the disk after its death. A *power cut* takes that away ([durability.md](durability.md)). All nodes and
      clients shared one machine, mostly with other work: the times are not what the systems can do.

      ```
      mvn -Pfull verify -Dmqproof.repetitions=20                    # adds a line per run to target/fault-matrix of mq-it/mq-crash-tests
      mvn -pl mq-it/mq-crash-tests -am test -Dtest=FaultMatrixDocumentTest \\
          -Dsurefire.failIfNoSpecifiedTests=false -Dmatrix.update=true    # makes this document of them
      ```

      Each run prints its seed; `-Dmqproof.seed=N` repeats its random moments, but not the scheduling of threads. Its history
      is in `target/histories` (or `-Dmqproof.history=DIR`), and `benchmarks.jar verdict` judges it again
      ([history.md](history.md)).

      ## Verdicts

      Runs in which nothing confirmed was lost, of all runs. **Bold**: a guarantee was broken, or a run could not be judged.
      *Italics*: the mode guarantees nothing for this fault; lost messages are counted.

      - *receiver SIGKILL, backlog*: 10,000 messages wait, and the receiver that is left takes at most 200 a second, less
        than is sent.
      - *receiver crash loop*: ten receivers, one after another, claim the same 100 messages and are killed. None of them may
        go to a dead-letter queue.
      - *held while others change*: a receiver holds what it claimed for two minutes, extending its claims where they end;
        two others join, and one is killed. The others must go on.

      """;

  private static final String LEGEND =
      """

      ## Times

      Times are in milliseconds, median / worst.

      - *Redelivered*: from the moment when the receiver was seen to be dead until another receiver had the first and the last
        of its messages; negative if the other one was faster.
      - *Send gap*, *receive gap*: the longest time between two confirms, or deliveries, of all clients together, from the
        beginning of the fault. A paused leader that is not replaced causes 12 s or more. After the death of the whole cluster
        receivers start when it is back.
      - *Senders back*: until each sender had a batch confirmed that it began after the fault.
      - *Rate back*: until the first second with 95 % of the rate of the second before the fault; *not in* counts the runs
        that did not reach it within 5 s after the fault was healed.
      - *Backlog*: from the end of sending until every confirmed message was delivered.
      - *Loses at most*: if no run lost anything, the upper bound of the share of runs that lose something, at 95 %
        confidence; no promise.
      """;

  private FaultMatrix() {}

  static String document(Collection<CellRun> runs) {
    Map<String, Map<String, List<CellRun>>> columns =
        runs.stream()
            .collect(
                Collectors.groupingBy(
                    run -> "%s `%s`".formatted(run.system(), run.mode()),
                    TreeMap::new,
                    Collectors.groupingBy(
                        CellRun::fault,
                        () -> new TreeMap<>(Comparator.comparing(FaultMatrix::rank)),
                        Collectors.toList())));
    Set<String> faults = new LinkedHashSet<>();
    columns.values().forEach(cells -> faults.addAll(cells.keySet()));
    List<String> rows = faults.stream().sorted(Comparator.comparing(FaultMatrix::rank)).toList();

    StringBuilder text = new StringBuilder(BEFORE);
    text.append(row("System and mode", rows))
        .append(row("---", rows.stream().map(fault -> "---").toList()));
    columns.forEach(
        (column, cells) ->
            text.append(
                row(
                    column,
                    rows.stream()
                        .map(fault -> cells.containsKey(fault) ? verdict(cells.get(fault)) : "-")
                        .toList())));
    text.append(LEGEND);
    columns.forEach((column, cells) -> text.append(times(column, cells)));
    return text.toString();
  }

  private static String rank(String fault) {
    int place = ORDER.indexOf(fault);
    return "%02d %s".formatted(place < 0 ? ORDER.size() : place, fault);
  }

  private static String row(String first, List<String> others) {
    List<String> cells = new ArrayList<>(others);
    cells.add(0, first);
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String verdict(List<CellRun> runs) {
    long failed = runs.stream().filter(run -> run.failure().isPresent()).count();
    long holding = runs.stream().filter(CellRun::holds).count();
    // What is promised now, which earlier runs may have taught.
    boolean promised = Collections.max(runs, Comparator.comparing(CellRun::at)).promised();
    String share = "%d of %d".formatted(holding, runs.size());
    if (failed > 0) {
      return "**%s, %d not judged**".formatted(share, failed);
    }
    if (promised) {
      return holding < runs.size() ? "**%s**".formatted(share) : share;
    }
    long lost = sum(runs, "lost");
    return "*%s*%s"
        .formatted(share, lost == 0 ? "" : String.format(Locale.ROOT, ", %,d lost", lost));
  }

  private static long sum(List<CellRun> runs, String what) {
    return runs.stream().mapToLong(run -> run.count(what)).sum();
  }

  private static String times(String column, Map<String, List<CellRun>> cells) {
    StringBuilder text = new StringBuilder("\n### ").append(column).append("\n\n");
    List<CellRun> all = cells.values().stream().flatMap(List::stream).toList();
    text.append(
        "Version %s; %s\n\n"
            .formatted(distinct(all, CellRun::version), distinct(all, CellRun::day)));
    text.append(
        row(
            "Fault",
            List.of(
                "Runs",
                "Confirmed",
                "Lost",
                "Loses at most",
                "Duplicated",
                "Redelivered first",
                "last",
                "Send gap",
                "Receive gap",
                "Senders back",
                "Rate back",
                "Backlog")));
    text.append("|---".repeat(13)).append("|\n");
    cells.forEach(
        (fault, runs) ->
            text.append(
                row(
                    fault,
                    List.of(
                        Integer.toString(runs.size()),
                        String.format(Locale.ROOT, "%,d", sum(runs, "confirmed")),
                        String.format(Locale.ROOT, "%,d", sum(runs, "lost")),
                        bound(runs),
                        String.format(Locale.ROOT, "%,d", sum(runs, "duplicated")),
                        millis(runs, CellTime.REDELIVERED_FIRST),
                        millis(runs, CellTime.REDELIVERED_LAST),
                        millis(runs, CellTime.SEND_GAP),
                        millis(runs, CellTime.RECEIVE_GAP),
                        millis(runs, CellTime.SENDERS_BACK),
                        rateBack(runs),
                        millis(runs, CellTime.BACKLOG)))));
    return text.toString();
  }

  private static String distinct(List<CellRun> runs, Function<CellRun, String> what) {
    return runs.stream().map(what).distinct().sorted().collect(Collectors.joining(", "));
  }

  /**
   * The exact bound: with so large a share of losing runs, none in n would be seen 5 times in 100.
   */
  static String bound(List<CellRun> runs) {
    if (!runs.stream().allMatch(CellRun::holds)) {
      return "-";
    }
    double share = 1 - Math.pow(1 - CONFIDENCE, 1.0 / runs.size());
    return String.format(Locale.ROOT, "%.0f %%", Math.ceil(share * 100));
  }

  private static String rateBack(List<CellRun> runs) {
    long judged = runs.stream().filter(run -> run.millis(CellTime.SEND_GAP).isPresent()).count();
    long back = runs.stream().filter(run -> run.millis(CellTime.RATE_BACK).isPresent()).count();
    String not = "not in %d of %d".formatted(judged - back, judged);
    if (back == judged) {
      return millis(runs, CellTime.RATE_BACK);
    }
    return back == 0 ? not : millis(runs, CellTime.RATE_BACK) + ", " + not;
  }

  private static String millis(List<CellRun> runs, CellTime time) {
    long[] sorted =
        runs.stream().flatMapToLong(run -> run.millis(time).stream()).sorted().toArray();
    return sorted.length == 0
        ? "-"
        : String.format(Locale.ROOT, "%,d / %,d", median(sorted), sorted[sorted.length - 1]);
  }

  /** The lower one of an even number. */
  static long median(long[] sorted) {
    return sorted[(sorted.length - 1) / 2];
  }
}
