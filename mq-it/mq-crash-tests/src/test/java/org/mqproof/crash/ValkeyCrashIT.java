package org.mqproof.crash;

import java.util.Map;

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
}
