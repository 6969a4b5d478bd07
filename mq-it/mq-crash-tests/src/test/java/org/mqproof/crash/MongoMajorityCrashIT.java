package org.mqproof.crash;

class MongoMajorityCrashIT extends MongoCrashTests {

  MongoMajorityCrashIT() {
    super("majority");
  }
}
