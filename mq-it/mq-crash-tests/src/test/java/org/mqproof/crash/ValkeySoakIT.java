package org.mqproof.crash;

/** A primary and two replicas. */
class ValkeySoakIT extends SoakTests {

  ValkeySoakIT() {
    super("valkey", ValkeyCrashIT.MODE);
  }
}
