package org.mqproof.crash;

import java.util.Map;

/** Majority. */
class MongoSoakIT extends SoakTests {

  MongoSoakIT() {
    super(
        "mongodb",
        Map.of(
            "write.concern",
            "majority",
            "claim.period",
            "10s",
            "call.bound",
            "12s",
            "connect.bound",
            "3s"));
  }
}
