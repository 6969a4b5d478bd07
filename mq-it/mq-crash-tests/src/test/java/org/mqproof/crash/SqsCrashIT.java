package org.mqproof.crash;

import java.util.HashMap;
import java.util.Map;

/** ElasticMQ: one node with everything on disk. While it is dead or paused, its clients wait. */
class SqsCrashIT extends CrashTests {

  SqsCrashIT() {
    super("sqs", Map.of("claim.period", "10s", "call.bound", "12s", "connect.bound", "3s"));
  }

  /** The first request of a JVM takes seconds where several start at once. */
  @Override
  Map<String, String> childSettings() {
    Map<String, String> patient = new HashMap<>(settings());
    patient.put("call.bound", "60s");
    patient.put("connect.bound", "15s");
    return patient;
  }

  @Override
  boolean pausedLeaderIsReplaced() {
    return false;
  }
}
