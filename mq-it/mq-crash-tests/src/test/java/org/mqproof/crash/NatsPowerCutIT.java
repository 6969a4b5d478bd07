package org.mqproof.crash;

import org.junit.jupiter.api.Tag;

/** With their default sync_interval the nodes await no disk: declared not to survive. */
@Tag(Tags.FULL)
class NatsPowerCutIT extends PowerCutTests {

  NatsPowerCutIT() {
    super("nats", NatsCrashIT.MODE, false);
  }
}
