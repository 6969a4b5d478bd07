package org.mqproof.crash;

/** Three replicas of a stream. */
class NatsSoakIT extends SoakTests {

  NatsSoakIT() {
    super("nats", NatsCrashIT.MODE);
  }
}
