package org.mqproof.jmh.sustain;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Latency;
import org.mqproof.report.OpenLoop;
import org.mqproof.report.Row;
import org.mqproof.report.Standing;

/**
 * A service-level objective: so many messages per second with a 99th percentile of at most so much,
 * a backlog that does not grow, nothing lost. Immutable.
 *
 * @param latency which latency is meant
 * @param p99Millis its largest allowed 99th percentile, milliseconds
 */
public record Objective(Of latency, double p99Millis) {

  /** Growth of the backlog that counts as none: this share of the rate. */
  private static final double LEVEL = 0.01;

  /** The latency that an objective speaks of; both count from the moment a send was due. */
  public enum Of {
    /** To the return of the receive that holds the message. */
    PROCESSING("processing latency"),
    /** To the confirmation of the send. */
    RESPONSE("response time of a send");

    private final String text;

    Of(String text) {
      this.text = text;
    }
  }

  /**
   * What became of one run.
   *
   * @param met whether the objective was met
   * @param why what was seen, in a few words; every reason if it was not met
   */
  public record Judgement(boolean met, String why) {}

  /**
   * Judges a run of the open loop.
   *
   * @param row one run
   * @return met only if nothing speaks against it
   */
  public Judgement judge(Row row) {
    OpenLoop openLoop = row.latencies().openLoop();
    if (row.failed()) {
      String why =
          row.proof().notes().stream()
              .filter(note -> note.startsWith(Row.FAILED))
              .findFirst()
              .orElse("");
      return new Judgement(false, why);
    }
    if (openLoop == null) {
      throw new IllegalArgumentException("only an open loop has a rate to sustain");
    }
    List<String> against = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    if (row.standing() != Standing.PROVEN) {
      against.add("not proven that nothing was lost");
    }
    p99(row, openLoop, against, seen);
    if (openLoop.unsent() > 0) {
      against.add(
          String.format(
              Locale.ROOT, "%,d of %,d sends never begun", openLoop.unsent(), openLoop.due()));
    }
    backlog(row, openLoop, against, seen);
    seen.addAll(0, against);
    return new Judgement(against.isEmpty(), String.join(", ", seen));
  }

  private void p99(Row row, OpenLoop openLoop, List<String> against, List<String> seen) {
    @Nullable Latency measured =
        latency == Of.PROCESSING ? row.latencies().processing() : openLoop.response();
    if (measured == null) {
      against.add("no " + latency.text + " was measured");
      return;
    }
    double millis = measured.p99Nanos() / 1e6;
    String text = String.format(Locale.ROOT, "p99 %.3g ms", millis);
    (millis <= p99Millis ? seen : against).add(text);
  }

  private static void backlog(Row row, OpenLoop openLoop, List<String> against, List<String> seen) {
    Backlog backlog = Backlog.of(row.timeline());
    String text =
        String.format(
            Locale.ROOT, "backlog %+.0f ± %.0f msgs/s", backlog.perSecond(), backlog.error());
    if (!backlog.known()) {
      against.add("too few whole seconds to see whether the backlog grows (-r 5s has enough)");
    } else if (backlog.grows(LEVEL * openLoop.messagesPerSecond())) {
      against.add(text);
    } else {
      seen.add(text);
    }
  }

  /**
   * Says it.
   *
   * @return for example {@code "p99 of the processing latency <= 100 ms, backlog not growing,
   *     nothing lost"}
   */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "p99 of the %s <= %s ms, backlog not growing, nothing lost",
        latency.text,
        p99Millis == Math.rint(p99Millis) ? (Object) (long) p99Millis : (Object) p99Millis);
  }
}
