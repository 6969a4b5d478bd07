package org.mqproof.crash;

/** A pair, each with its own copy. */
class ArtemisSoakIT extends SoakTests {

  ArtemisSoakIT() {
    super("artemis", PairCrashTests.mode(PairCrashTests.TRANSACTED));
  }
}
