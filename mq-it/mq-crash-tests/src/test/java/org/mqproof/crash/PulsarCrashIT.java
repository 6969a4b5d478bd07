package org.mqproof.crash;

import java.util.Map;
import org.junit.jupiter.api.Tag;

/** A node is a broker, a bookie and a member of ZooKeeper: its death is the death of all three. */
@Tag(Tags.FULL)
class PulsarCrashIT extends CrashTests {

  static final Map<String, String> MODE =
      Map.of("call.bound", "12s", "connect.bound", "3s", "keep.alive", "3s");

  PulsarCrashIT() {
    super("pulsar", MODE);
  }
}
