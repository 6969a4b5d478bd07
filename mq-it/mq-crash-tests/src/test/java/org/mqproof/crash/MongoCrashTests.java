package org.mqproof.crash;

import java.util.Map;

/** One of the write concerns of MongoDB. */
abstract class MongoCrashTests extends CrashTests {

  MongoCrashTests(String concern) {
    super("mongodb", mode(concern));
  }

  static Map<String, String> mode(String concern) {
    return Map.of(
        "write.concern", concern,
        "claim.period", "10s",
        "call.bound", "12s",
        "connect.bound", "3s");
  }

  /** Whoever is ahead wins an election, and brings along what nobody else has. */
  @Override
  protected void beforeLeaderComesBack(int leader) {
    awaitAnotherLeader(leader);
  }
}
