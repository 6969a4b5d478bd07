package org.mqproof.crash;

import java.util.Map;

/** A majority has its journal on disk before a write is confirmed. */
class MongoMajorityPowerCutIT extends PowerCutTests {

  static final Map<String, String> MODE =
      Map.of(
          "write.concern",
          "majority",
          "claim.period",
          "10s",
          "call.bound",
          "12s",
          "connect.bound",
          "3s");

  MongoMajorityPowerCutIT() {
    super("mongodb", MODE, true);
  }
}
