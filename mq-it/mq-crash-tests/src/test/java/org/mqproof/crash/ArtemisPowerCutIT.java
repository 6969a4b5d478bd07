package org.mqproof.crash;

/**
 * The active node awaits its journal, the backup does not. Declared not to survive: of some runs
 * the last second was lost.
 */
class ArtemisPowerCutIT extends PowerCutTests {

  ArtemisPowerCutIT() {
    super("artemis", PairCrashTests.mode(PairCrashTests.TRANSACTED), false);
  }
}
