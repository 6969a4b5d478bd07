package org.mqproof.artemis;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Artemis, send=async")
class ArtemisAsyncConformanceIT extends ArtemisConformance {

  ArtemisAsyncConformanceIT() {
    super("async");
  }
}
