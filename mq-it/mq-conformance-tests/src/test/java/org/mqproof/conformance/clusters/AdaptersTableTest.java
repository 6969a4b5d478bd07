package org.mqproof.conformance.clusters;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** For the systems of which no cluster runs. */
class AdaptersTableTest {

  @Test
  void hasTheModeOfTheQueueInThisJvm() throws IOException {
    AdaptersTable.checkInside("memory");
  }

  @Test
  void hasTheModesOfEventStore() throws IOException {
    AdaptersTable.checkNotRun("eventstore");
  }
}
