package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Confirmed by the leader alone: what only that node had may go with it, and the rules say so. */
@Tag(Tags.FULL)
class KafkaAcksOneCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of(
          "acks", "1",
          "session.timeout.ms", "3000",
          "rebalance.hold", "4s",
          "call.bound", "10s");

  KafkaAcksOneCrashIT() {
    super("kafka", MODE);
  }

  /**
   * Shows that the fault behind ALO-02 bites and that its verdict tells, and why acks=1 is let off.
   */
  @Test
  @DisplayName("with acks=1 a leader that dies while the others are behind takes messages along")
  void acksOneLosesWhatOnlyTheLeaderHad() throws Exception {
    LeaderAhead seen = killLeaderAhead();

    System.out.printf("acks=1, %s%n    %s%n", seen, seen.verdict().judgement().words());
    assertThat(seen.confirmedByTheLeaderAlone()).isPositive();
    assertThat(seen.verdict().drained()).isTrue();
    assertThat(seen.verdict().lost()).as("lost: %s", seen.verdict()).isPositive();
  }
}
