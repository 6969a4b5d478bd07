package org.mqproof.ledger;

import java.util.List;

/** Verdicts for tests. */
final class Verdicts {

  /** Every ack is recorded, and none is missing or in doubt. */
  static final Verdict.Acks ALL_GIVEN = new Verdict.Acks(true, 0, 0, false);

  private Verdicts() {}

  /** Of as many messages, each sent, delivered and acked once. */
  static Verdict ofFlawless(long messages) {
    return new Verdict(
        messages,
        messages,
        0,
        0,
        messages,
        messages,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        true,
        ALL_GIVEN,
        Verdict.Anomalies.NONE,
        Expectations.AT_LEAST_ONCE,
        List.of());
  }
}
