package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** The nodes write to their disks, and await them every two minutes: declared not to survive. */
@Tag(Tags.FULL)
class NatsPowerCutIT extends PowerCutTests {

  NatsPowerCutIT() {
    super("nats", NatsCrashIT.MODE, false);
  }
}
