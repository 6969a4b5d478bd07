package org.mqproof.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/**
 * One benchmark with one set of parameters: all its forks together. Plain data, see {@link
 * Results}; in a file the fields of all groups are the row's own.
 *
 * @param load what was asked of the system
 * @param target the system that was measured
 * @param rates messages per second; one of them is there
 * @param latencies how long it took
 * @param timeline one entry per second, in order; empty if not recorded
 * @param cost what the measuring JVM used
 * @param proof why the numbers are to be believed, or not
 */
public record Row(
    @JsonUnwrapped Load load,
    @JsonUnwrapped Target target,
    @JsonUnwrapped Rates rates,
    @JsonUnwrapped Latencies latencies,
    List<Second> timeline,
    @JsonUnwrapped Cost cost,
    @JsonUnwrapped Proof proof) {

  /** How a note begins that makes the row void. */
  public static final String FAILED = "failed: ";

  /**
   * The rate to judge the row by: messages that came out at the other end, where there was one.
   *
   * @return {@code received} if there, else {@code sent}
   */
  public Throughput headline() {
    if (rates.received != null) {
      return rates.received;
    }
    if (rates.sent == null) {
      throw new IllegalStateException("a row has a rate");
    }
    return rates.sent;
  }

  /**
   * Whether a part of the row did not run to its end.
   *
   * @return whether a note says so
   */
  public boolean failed() {
    return proof.notes.stream().anyMatch(note -> note.startsWith(FAILED));
  }

  /**
   * The same row with another self-check.
   *
   * @param check what speaks against it
   * @return a new row
   */
  public Row with(SelfCheck check) {
    return with(new Proof(proof.verdict, check, proof.notes));
  }

  /**
   * The same row with one more note.
   *
   * @param note what a reader has to know besides, a sentence
   * @return a new row
   */
  public Row with(String note) {
    return with(
        new Proof(
            proof.verdict,
            proof.selfCheck,
            Stream.concat(proof.notes.stream(), Stream.of(note)).toList()));
  }

  private Row with(Proof other) {
    return new Row(load, target, rates, latencies, timeline, cost, other);
  }

  /**
   * Whether a sender sent on before its last batch was safe.
   *
   * @return as the parameter {@code async}; false for a benchmark that has none
   */
  public boolean async() {
    return Boolean.parseBoolean(load.params.get("async"));
  }

  /**
   * What speaks against the row.
   *
   * @return empty if nothing does, or nobody looked
   */
  public List<SelfCheck.Doubt> doubts() {
    return proof.selfCheck == null ? List.of() : proof.selfCheck.doubts();
  }

  /**
   * Where the rate was going.
   *
   * @return {@code "rising"} or {@code "falling"}; null if it was steady, or nobody knows
   */
  public @Nullable String trend() {
    Drift drift = proof.selfCheck == null ? null : proof.selfCheck.drift();
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
    if (proof.verdict == null) {
      return Standing.UNVERIFIED;
    }
    return proof.verdict.holds() ? Standing.PROVEN : Standing.VOID;
  }

  /**
   * Whether the rate counts: it is proven, or nobody asked for a proof.
   *
   * @return false if the row is {@link Standing#VOID}
   */
  public boolean counts() {
    return standing() != Standing.VOID;
  }

  /**
   * What was asked of the system.
   *
   * @param benchmark the benchmark's short name, for example {@code "SendBenchmark"}
   * @param params the benchmark's own parameters, for example {@code batch=1..10}
   * @param senders sender threads
   * @param receivers receiver threads
   */
  public record Load(String benchmark, Map<String, String> params, int senders, int receivers) {}

  /**
   * The system that was measured.
   *
   * @param system the provider's name, for example {@code "kafka"}
   * @param brokerVersion version of the broker, or {@code "unknown"}; empty for a system inside the
   *     JVM
   * @param nodes broker nodes, 0 for a system inside the JVM
   * @param mode the mode's name as in the adapter's settings, for example {@code "acks=all"}
   * @param traits what the adapter promised in this mode
   * @param settings the settings the adapter was connected with, without secrets
   */
  public record Target(
      String system,
      String brokerVersion,
      int nodes,
      String mode,
      DeclaredTraits traits,
      Map<String, String> settings) {}

  /**
   * Messages per second.
   *
   * @param sent rate of confirmed sends; null if nothing was sent while measuring
   * @param received rate of deliveries; null if nothing was received while measuring
   * @param acked rate of acks that completed; null if nothing was received, or in an older file
   */
  public record Rates(
      @Nullable Throughput sent, @Nullable Throughput received, @Nullable Throughput acked) {

    /**
     * Rates of a run whose acks were not counted.
     *
     * @param sent rate of confirmed sends; null if nothing was sent while measuring
     * @param received rate of deliveries; null if nothing was received while measuring
     */
    public Rates(@Nullable Throughput sent, @Nullable Throughput received) {
      this(sent, received, null);
    }
  }

  /**
   * How long it took.
   *
   * @param send from the call of a send to its return, per batch (service time); null if not
   *     measured
   * @param processing from the call of a send, in an open loop from the moment it was due, to the
   *     return of the receive that holds the message, per message; null if not measured
   * @param openLoop how the schedule was kept and what users would have seen; null for a closed
   *     loop
   */
  public record Latencies(
      @JsonProperty("sendLatency") @Nullable Latency send,
      @JsonProperty("processingLatency") @Nullable Latency processing,
      @Nullable OpenLoop openLoop) {

    /** Nothing was timed. */
    public static final Latencies NONE = new Latencies(null, null, null);
  }

  /**
   * What the measuring JVM used.
   *
   * @param cpuMicrosPerMessage CPU time per message, microseconds; null if not measured
   * @param allocatedBytesPerMessage heap that was allocated per message, bytes; null if not
   *     measured
   * @param gcMillis time its collectors took while measuring, milliseconds; null if not measured
   * @param ledgerBytesPerMessage heap that the ledger's sets held at the end per message that was
   *     attempted, bytes; null without a ledger, or in an older file
   */
  public record Cost(
      @Nullable Double cpuMicrosPerMessage,
      @Nullable Double allocatedBytesPerMessage,
      @Nullable Long gcMillis,
      @Nullable Double ledgerBytesPerMessage) {

    /** Nothing is known. */
    public static final Cost NONE = new Cost(null, null, null, null);
  }

  /**
   * Why the numbers are to be believed, or not.
   *
   * @param verdict what the ledger proved of all forks together; null if nothing was verified
   * @param selfCheck what speaks against the row; null if nobody looked
   * @param notes what a reader has to know about this row, a sentence each; one that begins with
   *     {@link #FAILED} says that a part of the row did not run to its end
   */
  public record Proof(
      @Nullable Verdict verdict, @Nullable SelfCheck selfCheck, List<String> notes) {

    /** Nobody asked for any. */
    public static final Proof NONE = new Proof(null, null, List.of());
  }
}
