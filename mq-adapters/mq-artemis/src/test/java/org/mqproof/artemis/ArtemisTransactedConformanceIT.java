package org.mqproof.artemis;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Artemis, send=transacted")
class ArtemisTransactedConformanceIT extends ArtemisConformance {

  ArtemisTransactedConformanceIT() {
    super("transacted");
  }
}
