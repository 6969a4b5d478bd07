package org.mqproof.crash;

/** Each node has its own copy of everything. */
class ArtemisCrashIT extends PairCrashTests {

  ArtemisCrashIT() {
    super("artemis", TRANSACTED);
  }
}
