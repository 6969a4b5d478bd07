package org.mqproof.jmh.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Drift;
import org.mqproof.report.Latency;
import org.mqproof.report.OpenLoop;
import org.mqproof.report.Row;
import org.mqproof.report.Second;
import org.mqproof.report.SelfCheck;
import org.mqproof.report.SelfCheck.Doubt;
import org.mqproof.report.SelfCheck.Kind;
import org.mqproof.report.Standing;
import org.mqproof.report.lint.RowLint;

/**
 * Looks for what speaks against our own numbers: a client that was busy, late or near its own
 * limit, a rate that drifted, receivers that fell behind, figures that contradict each other.
 * Stateless, thread-safe.
 */
public final class ValidityChecks {

  /** Share of the cores from which the client may be what limits the rate. */
  public static final double MOST_CPU = 0.8;

  /** Share of the time from which one thread of it may be. */
  private static final double MOST_OF_ONE_THREAD = 0.9;

  /** Share of the time from which the collectors may be. */
  private static final double MOST_GC = 0.1;

  /** Share of the machine's processor time from which it is another machine that one measures. */
  private static final double MOST_STEAL = 0.05;

  /** Longer than the time slice of one other thread that wants the core. */
  private static final long MOST_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Share of what the harness itself can do, from which it is no longer far away. */
  public static final double MOST_OF_CEILING = 0.5;

  /** The system through which all that is measured is the harness: a queue inside the JVM. */
  public static final String CEILING = "memory";

  /** Parameters that say through what, not how much. */
  private static final List<String> NO_LOAD = List.of("system", "settings", "mode", "rttMillis");

  private ValidityChecks() {}

  /**
   * What the measuring JVM was doing, all forks together.
   *
   * @param cost while measuring
   * @param busiest its busiest thread meanwhile
   * @param nanos that were measured
   * @param cores it could use
   * @param lag of its threads
   * @param machine what the whole machine did meanwhile
   */
  public record Client(
      ProcessCost cost,
      ThreadTimes.Busiest busiest,
      long nanos,
      int cores,
      Distribution lag,
      MachineTime machine) {}

  /** The row with what speaks against it, but for the ceiling, which needs the other rows. */
  public static Row checked(Row row, Client client) {
    double cpu = share((double) client.cost().cpuNanos(), (double) client.nanos() * client.cores());
    double gc =
        share(
            (double) TimeUnit.MILLISECONDS.toNanos(client.cost().gcMillis()),
            (double) client.nanos());
    @Nullable Long lag = client.lag().count() == 0 ? null : client.lag().atPercentile(99);
    @Nullable Drift drift = Steadiness.of(row);
    List<Doubt> doubts = new ArrayList<>();
    if (cpu > MOST_CPU) {
      doubt(doubts, Kind.CLIENT, "the measuring JVM used %.0f %% of all cores", 100 * cpu);
    }
    @Nullable Double thread =
        client.busiest().name().isEmpty()
            ? null
            : Math.min(1, share((double) client.busiest().nanos(), (double) client.nanos()));
    if (thread != null && thread > MOST_OF_ONE_THREAD) {
      doubt(
          doubts,
          Kind.CLIENT,
          "one thread of the measuring JVM, %s, was busy for %.0f %% of the time",
          client.busiest().name(),
          100 * thread);
    }
    if (gc > MOST_GC) {
      doubt(doubts, Kind.CLIENT, "its collectors took %.0f %% of the time", 100 * gc);
    }
    if (lag != null && lag > MOST_LAG_NANOS) {
      doubt(
          doubts,
          Kind.CLIENT,
          "the client's threads waited for a core: one in a hundred of them %.0f ms or longer",
          lag / 1e6);
    }
    @Nullable Double steal = client.machine().stealShare();
    if (steal != null && steal > MOST_STEAL) {
      doubt(
          doubts,
          Kind.CLIENT,
          "the machine's host gave %.0f %% of its processor time to other machines",
          100 * steal);
    }
    if (drift != null && drift.unsteady()) {
      doubt(
          doubts,
          Kind.UNSTEADY,
          "the rate was not steady: it %s by %.0f %% from the first third of the measured time to the last (Mann-Kendall z %.1f)",
          drift.change() > 0 ? "rose" : "fell",
          100 * Math.abs(drift.change()),
          drift.z());
    }
    if (row.fellBehind()) {
      doubt(
          doubts,
          Kind.BEHIND,
          "the receivers got %.0f %% of what was sent meanwhile: the processing latency is the age of a growing backlog, and not shown",
          100 * receivedShare(row.timeline()));
    }
    @Nullable OpenLoop openLoop = row.latencies().openLoop();
    if (openLoop != null && openLoop.unsent() > 0) {
      doubt(
          doubts,
          Kind.NOT_HELD,
          "the rate was not held: %,d of %,d sends were due and not begun when the last iteration ended; they count with the time that they had waited, and would have taken longer",
          openLoop.unsent(),
          openLoop.due());
    }
    if (row.standing() != Standing.VOID) { // what is void is struck out, and may contradict itself
      RowLint.contradictions(row)
          .forEach(sentence -> doubts.add(new Doubt(Kind.CONTRADICTION, sentence)));
    }
    return row.with(
        new SelfCheck(
            cpu,
            thread,
            gc,
            lag,
            steal,
            client.machine().pressureShare(),
            null,
            drift,
            List.copyOf(doubts)));
  }

  /**
   * Holds each row against the same load through {@link #CEILING}, where that is among the rows:
   * what comes near it measures the harness. Of an open loop, whose rate was asked for, it is the
   * 99th percentile of the response time of which the harness alone takes a share.
   */
  public static List<Row> calibrated(List<Row> rows) {
    List<Row> calibrated = new ArrayList<>();
    for (Row row : rows) {
      SelfCheck check = row.proof().selfCheck();
      Optional<Row> ceiling = rows.stream().filter(other -> isCeilingOf(other, row)).findFirst();
      if (check == null || ceiling.isEmpty() || row.standing() == Standing.VOID) {
        calibrated.add(row);
        continue;
      }
      double p99Nanos = responseP99Nanos(row);
      boolean openLoop = p99Nanos > 0;
      double share =
          openLoop
              ? responseP99Nanos(ceiling.get()) / p99Nanos
              : share(
                  row.headline().messagesPerSecond(), ceiling.get().headline().messagesPerSecond());
      List<Doubt> doubts = new ArrayList<>(check.doubts());
      if (share > MOST_OF_CEILING) {
        doubt(
            doubts,
            Kind.CLIENT,
            openLoop
                ? "harness-bound: with a queue inside its own JVM the harness has %.0f %% of this p99 of the response time"
                : "harness-bound: this is %.0f %% of what the harness does with a queue inside its own JVM",
            100 * share);
      }
      calibrated.add(
          row.with(
              new SelfCheck(
                  check.cpuShare(),
                  check.threadShare(),
                  check.gcShare(),
                  check.schedulerLagP99Nanos(),
                  check.stealShare(),
                  check.pressureShare(),
                  share,
                  check.drift(),
                  List.copyOf(doubts))));
    }
    return calibrated;
  }

  /** 0 for a closed loop. */
  private static double responseP99Nanos(Row row) {
    OpenLoop openLoop = row.latencies().openLoop();
    Latency response = openLoop == null ? null : openLoop.response();
    return response == null ? 0 : (double) response.p99Nanos();
  }

  private static boolean isCeilingOf(Row one, Row row) {
    return one.target().system().equals(CEILING)
        && !row.target().system().equals(CEILING)
        && one.standing() != Standing.VOID
        && one.load().benchmark().equals(row.load().benchmark())
        && one.load().senders() == row.load().senders()
        && one.load().receivers() == row.load().receivers()
        && load(one).equals(load(row));
  }

  private static Map<String, String> load(Row row) {
    Map<String, String> load = new TreeMap<>(row.load().params());
    load.keySet().removeAll(NO_LOAD);
    return load;
  }

  private static double receivedShare(List<Second> timeline) {
    double sent = 0;
    double received = 0;
    for (Second second : timeline) {
      if (second.measured()) {
        sent += second.sent();
        received += second.received();
      }
    }
    return share(received, sent);
  }

  private static double share(double part, double whole) {
    return whole <= 0 ? 0 : part / whole;
  }

  private static void doubt(List<Doubt> doubts, Kind kind, String sentence, Object... figures) {
    doubts.add(new Doubt(kind, String.format(Locale.ROOT, sentence, figures)));
  }
}
