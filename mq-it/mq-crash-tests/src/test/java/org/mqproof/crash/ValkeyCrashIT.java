package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The memory of one of two replicas confirms each message and each ack. */
class ValkeyCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s");

  ValkeyCrashIT() {
    super("valkey", MODE);
  }

  /** With what it alone had it must not lead again. */
  @Override
  protected void beforeLeaderComesBack(int leader) {
    awaitAnotherLeader(leader);
  }

  /** What the primary sends to paused replicas waits for them: a loss would not show. */
  @Test
  @DisplayName("ALO-02 nothing is confirmed while no replica answers")
  void alo02_nothingIsConfirmedByThePrimaryAlone() throws Exception {
    assertThat(killLeaderAhead().confirmedByTheLeaderAlone()).isZero();
  }
}
