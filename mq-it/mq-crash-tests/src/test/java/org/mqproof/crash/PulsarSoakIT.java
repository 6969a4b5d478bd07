package org.mqproof.crash;

import java.util.Map;

/** Its nodes cannot have networks of their own: they are killed only. */
class PulsarSoakIT extends SoakTests {

  PulsarSoakIT() {
    super(
        "pulsar", Map.of(), Map.of("call.bound", "12s", "connect.bound", "3s", "keep.alive", "3s"));
  }
}
