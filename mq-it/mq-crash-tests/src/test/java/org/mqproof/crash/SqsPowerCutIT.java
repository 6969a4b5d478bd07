package org.mqproof.crash;

import java.util.Map;

/** ElasticMQ writes before it confirms, and awaits no disk: declared not to survive. */
class SqsPowerCutIT extends PowerCutTests {

  SqsPowerCutIT() {
    super("sqs", Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s"), false);
  }
}
