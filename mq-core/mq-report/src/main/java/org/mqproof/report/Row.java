package org.mqproof.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/**
 * One benchmark with one set of parameters: all its forks together. Plain data, see {@link
 * Results}.
 *
 * @param benchmark the benchmark's short name, for example {@code "SendBenchmark"}
 * @param params the benchmark's own parameters, for example {@code batch=1..10}
 * @param system the provider's name, for example {@code "kafka"}
 * @param brokerVersion version of the broker, or {@code "unknown"}; empty for a system inside the
 *     JVM
 * @param nodes broker nodes, 0 for a system inside the JVM
 * @param mode the mode's name as in the adapter's settings, for example {@code "acks=all"}
 * @param traits what the adapter promised in this mode
 * @param settings the settings the adapter was connected with, without secrets
 * @param senders sender threads
 * @param receivers receiver threads
 * @param sent rate of confirmed sends; null if nothing was sent while measuring
 * @param received rate of receive and ack; null if nothing was received while measuring
 * @param sendLatency from the call of a send to its return, per batch (service time); null if not
 *     measured
 * @param processingLatency from the call of a send, in an open loop from the moment it was due, to
 *     the return of the receive that holds the message, per message; null if not measured
 * @param timeline one entry per second, in order; empty if not recorded
 * @param verdict what the ledger proved of all forks together; null if nothing was verified
 * @param cpuMicrosPerMessage CPU time of the measuring JVM per message, microseconds; null if not
 *     measured
 * @param allocatedBytesPerMessage heap the measuring JVM allocated per message, bytes; null if not
 *     measured
 * @param gcMillis time the measuring JVM's collectors took while measuring, milliseconds; null if
 *     not measured
 * @param openLoop how the schedule was kept and what users would have seen; null for a closed loop
 * @param selfCheck what speaks against the row; null if nobody looked
 * @param notes what a reader has to know about this row, a sentence each; one that begins with
 *     {@link #FAILED} says that a part of the row did not run to its end
 */
public record Row(
    String benchmark,
    Map<String, String> params,
    String system,
    String brokerVersion,
    int nodes,
    String mode,
    DeclaredTraits traits,
    Map<String, String> settings,
    int senders,
    int receivers,
    @Nullable Throughput sent,
    @Nullable Throughput received,
    @Nullable Latency sendLatency,
    @Nullable Latency processingLatency,
    List<Second> timeline,
    @Nullable Verdict verdict,
    @Nullable Double cpuMicrosPerMessage,
    @Nullable Double allocatedBytesPerMessage,
    @Nullable Long gcMillis,
    @Nullable OpenLoop openLoop,
    @Nullable SelfCheck selfCheck,
    List<String> notes) {

  /** How a note begins that makes the row void. */
  public static final String FAILED = "failed: ";

  /**
   * The rate to judge the row by: messages that came out at the other end, where there was one.
   *
   * @return {@code received} if there, else {@code sent}
   */
  public Throughput headline() {
    if (received != null) {
      return received;
    }
    if (sent == null) {
      throw new IllegalStateException("a row has a rate");
    }
    return sent;
  }

  /**
   * Whether a part of the row did not run to its end.
   *
   * @return whether a note says so
   */
  public boolean failed() {
    return notes.stream().anyMatch(note -> note.startsWith(FAILED));
  }

  /**
   * The same row with another self-check.
   *
   * @param check what speaks against it
   * @return a new row
   */
  public Row with(SelfCheck check) {
    return with(check, notes);
  }

  /**
   * The same row with one more note.
   *
   * @param note what a reader has to know besides, a sentence
   * @return a new row
   */
  public Row with(String note) {
    return with(selfCheck, Stream.concat(notes.stream(), Stream.of(note)).toList());
  }

  private Row with(@Nullable SelfCheck check, List<String> all) {
    return new Row(
        benchmark,
        params,
        system,
        brokerVersion,
        nodes,
        mode,
        traits,
        settings,
        senders,
        receivers,
        sent,
        received,
        sendLatency,
        processingLatency,
        timeline,
        verdict,
        cpuMicrosPerMessage,
        allocatedBytesPerMessage,
        gcMillis,
        openLoop,
        check,
        all);
  }

  /**
   * Whether a sender sent on before its last batch was safe.
   *
   * @return as the parameter {@code async}; false for a benchmark that has none
   */
  public boolean async() {
    return Boolean.parseBoolean(params.get("async"));
  }

  /**
   * What speaks against the row.
   *
   * @return empty if nothing does, or nobody looked
   */
  public List<SelfCheck.Doubt> doubts() {
    return selfCheck == null ? List.of() : selfCheck.doubts();
  }

  /**
   * Where the rate was going.
   *
   * @return {@code "rising"} or {@code "falling"}; null if it was steady, or nobody knows
   */
  public @Nullable String trend() {
    Drift drift = selfCheck == null ? null : selfCheck.drift();
    return drift == null || !drift.unsteady() ? null : drift.change() > 0 ? "rising" : "falling";
  }

  /**
   * Whether the receivers got less than 95 % of what was sent while measuring. Then the processing
   * latency is the age of a growing backlog: it says how long the run was, not how fast the system.
   *
   * @return false also where nobody received
   */
  public boolean fellBehind() {
    long out = 0;
    long in = 0;
    for (Second second : timeline) {
      if (second.measured()) {
        in += second.sent();
        out += second.received();
      }
    }
    return out > 0 && out < 0.95 * in;
  }

  /**
   * What is known about the row's numbers.
   *
   * @return never null
   */
  public Standing standing() {
    if (failed()) {
      return Standing.VOID;
    }
    if (verdict == null) {
      return Standing.UNVERIFIED;
    }
    return verdict.holds() ? Standing.PROVEN : Standing.VOID;
  }

  /**
   * Whether the rate counts: it is proven, or nobody asked for a proof.
   *
   * @return false if the row is {@link Standing#VOID}
   */
  public boolean counts() {
    return standing() != Standing.VOID;
  }
}
