package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The primary alone confirms, when its journal is on its disk. */
@Tag(Tags.FULL)
class MongoW1PowerCutIT extends PowerCutTests {

  MongoW1PowerCutIT() {
    super("mongodb", MongoCrashTests.mode("w1"), false);
  }
}
