package org.mqproof.crash;

/** Majority. */
class MongoSoakIT extends SoakTests {

  MongoSoakIT() {
    super("mongodb", MongoCrashTests.mode("majority"));
  }
}
