package org.mqproof.ledger;

import java.util.ArrayList;
import java.util.List;
import org.mqproof.Ordering;
import org.mqproof.Traits;

/**
 * What a run is held to: the judge of every verdict. Immutable.
 *
 * <p>Lost, unexpected and corrupt messages break every run. The rest depends on what the adapter
 * declares and on what was done to the run; {@code docs/history.md} has the table.
 *
 * @param order the order that the adapter declares; without one, no order is judged
 * @param faults whether a fault struck: a process, node or network was broken, or claims were let
 *     expire. Then redelivery is legitimate, even of what was acked, and so is what it does to the
 *     order
 * @param redelivery whether a message may be delivered more than once although no fault struck. The
 *     conformance kit forbids it
 */
public record Expectations(Ordering order, boolean faults, boolean redelivery) {

  /** At-least-once delivery without a declared order, and no fault. */
  public static final Expectations AT_LEAST_ONCE = new Expectations(Ordering.NONE, false, true);

  /**
   * What an adapter promises while no fault strikes.
   *
   * @param traits as the connected adapter declares them
   * @return its order, no fault, and redelivery allowed
   */
  public static Expectations of(Traits traits) {
    return AT_LEAST_ONCE.withOrder(traits.ordering());
  }

  /**
   * The same with another order.
   *
   * @param declared the order that the adapter declares
   * @return new expectations
   */
  public Expectations withOrder(Ordering declared) {
    return new Expectations(declared, faults, redelivery);
  }

  /**
   * The same for a run that a fault struck.
   *
   * @return new expectations
   */
  public Expectations withFaults() {
    return new Expectations(order, true, redelivery);
  }

  /**
   * The same, but each message is to be delivered once as long as no fault strikes.
   *
   * @return new expectations
   */
  public Expectations withoutRedelivery() {
    return new Expectations(order, faults, false);
  }

  /** What runs that belong together can all be held to. */
  Expectations and(Expectations other) {
    return new Expectations(
        order == other.order ? order : Ordering.NONE,
        faults || other.faults,
        redelivery || other.redelivery);
  }

  /**
   * Judges a verdict.
   *
   * @param verdict what a run showed
   * @return what that proves, and why
   */
  public Judgement judge(Verdict verdict) {
    List<Judgement.Finding> findings = new ArrayList<>();
    boolean ordered = order != Ordering.NONE;
    Verdict.Acks acks = verdict.acks();
    Verdict.Anomalies anomalies = verdict.anomalies();

    add(findings, Weight.BREAKS, verdict.lost(), "lost" + lostAs(verdict, ordered));
    add(findings, Weight.BREAKS, verdict.unexpected(), "unexpected");
    add(findings, Weight.BREAKS, verdict.corrupt(), "corrupt");
    add(
        findings,
        ordered && !faults && !acks.gaveBack() ? Weight.BREAKS : Weight.NOTED,
        ordered ? anomalies.nonmonotonicSends() : 0,
        "reordered (nonmonotonic send)");
    add(
        findings,
        ordered && !faults ? Weight.BREAKS : Weight.NOTED,
        ordered ? anomalies.skippedPolls() : 0,
        "skipped (skipped poll)");
    add(
        findings,
        faults ? Weight.NOTED : Weight.BREAKS,
        verdict.deliveredAfterAck(),
        "delivered after ack");
    add(
        findings,
        redelivery || faults || acks.gaveBack() ? Weight.NOTED : Weight.BREAKS,
        verdict.duplicated(),
        "duplicated" + (ordered ? duplicatedAs(anomalies) : ""));

    if (verdict.confirmed() == 0) {
      findings.add(new Judgement.Finding(Weight.PROVES_NOTHING, "nothing confirmed"));
    }
    if (!verdict.drained()) {
      findings.add(
          new Judgement.Finding(
              Weight.PROVES_NOTHING,
              verdict.unverified() == 0
                  ? "not drained"
                  : "not drained, " + Judgement.counted(verdict.unverified(), "unverified")));
    }
    if (acks.recorded() && verdict.delivered() > 0 && verdict.acked() == 0) {
      findings.add(new Judgement.Finding(Weight.PROVES_NOTHING, "nothing acked"));
    }

    add(findings, Weight.NOTED, acks.inDoubt(), "acks in doubt");
    add(findings, Weight.NOTED, verdict.recovered(), "recovered");
    add(findings, Weight.NOTED, verdict.rejected(), "rejected");
    if (!acks.recorded()) {
      findings.add(
          new Judgement.Finding(Weight.NOTED, "not recorded whether all were given to ack"));
    }
    return new Judgement(verdict.confirmed(), List.copyOf(findings));
  }

  private static String lostAs(Verdict verdict, boolean ordered) {
    List<String> kinds = new ArrayList<>();
    if (ordered) {
      addCounted(kinds, verdict.anomalies().lostWrites(), "lost writes");
      addCounted(kinds, verdict.anomalies().unseen(), "unseen");
    }
    addCounted(kinds, verdict.acks().neverGiven(), "delivered, never given to ack");
    return inBrackets(kinds);
  }

  private static String duplicatedAs(Verdict.Anomalies anomalies) {
    List<String> kinds = new ArrayList<>();
    addCounted(kinds, anomalies.duplicates(), "duplicates");
    addCounted(kinds, anomalies.nonmonotonicPolls(), "nonmonotonic polls");
    return inBrackets(kinds);
  }

  private static String inBrackets(List<String> kinds) {
    return kinds.isEmpty() ? "" : " (" + String.join(", ", kinds) + ")";
  }

  private static void addCounted(List<String> kinds, long count, String what) {
    if (count > 0) {
      kinds.add(Judgement.counted(count, what));
    }
  }

  private static void add(
      List<Judgement.Finding> findings, Weight weight, long count, String what) {
    if (count > 0) {
      findings.add(new Judgement.Finding(weight, Judgement.counted(count, what)));
    }
  }
}
