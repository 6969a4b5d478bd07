package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The primary alone confirms; its journal is not awaited: declared not to survive. */
@Tag(Tags.FULL)
class MongoW1PowerCutIT extends PowerCutTests {

  MongoW1PowerCutIT() {
    super("mongodb", MongoCrashTests.mode("w1"), false);
  }
}
