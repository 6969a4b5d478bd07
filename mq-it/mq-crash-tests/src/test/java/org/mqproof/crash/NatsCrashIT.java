package org.mqproof.crash;

import java.util.Map;

/** Three replicas of a stream, of which two confirm each message and each ack. */
class NatsCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s");

  NatsCrashIT() {
    super("nats", MODE);
  }
}
