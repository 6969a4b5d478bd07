package org.mqproof.pulsar;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("full")
@DisplayName("Pulsar, two of three bookies")
class PulsarConformanceIT extends PulsarConformance {

  PulsarConformanceIT() {
    super(Map.of());
  }
}
