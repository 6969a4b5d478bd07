package org.mqproof.crash;

import java.util.Map;

/** A majority has its journal on disk before a write is confirmed. */
class MongoMajorityPowerCutIT extends PowerCutTests {

  static final Map<String, String> MODE = MongoCrashTests.mode("majority");

  MongoMajorityPowerCutIT() {
    super("mongodb", MODE, true);
  }
}
