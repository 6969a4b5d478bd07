package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Confirmed by the primary alone: what only that node had is rolled back, and the rules say so. */
class MongoW1CrashIT extends MongoCrashTests {

  MongoW1CrashIT() {
    super("w1");
  }

  /** Shows that the fault behind ALO-02 bites and that its verdict tells, and why w1 is let off. */
  @Test
  @DisplayName("with w1 a primary that dies while the others are behind takes messages along")
  void w1LosesWhatOnlyThePrimaryHad() throws Exception {
    LeaderAhead seen = killLeaderAhead();

    System.out.printf("w1, %s%n    %s%n", seen, seen.verdict().summary());
    assertThat(seen.confirmedByTheLeaderAlone()).isPositive();
    assertThat(seen.verdict().drained()).isTrue();
    assertThat(seen.verdict().lost()).as("lost: %s", seen.verdict()).isPositive();
  }
}
