package org.mqproof.crash;

import java.util.Map;

/** ElasticMQ: while its one node is dead, its clients wait. */
class SqsSoakIT extends SoakTests {

  SqsSoakIT() {
    super("sqs", Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s"));
  }
}
