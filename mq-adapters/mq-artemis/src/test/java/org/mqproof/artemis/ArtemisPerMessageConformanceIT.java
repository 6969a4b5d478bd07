package org.mqproof.artemis;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Artemis, send=per-message")
class ArtemisPerMessageConformanceIT extends ArtemisConformance {

  ArtemisPerMessageConformanceIT() {
    super("per-message");
  }
}
