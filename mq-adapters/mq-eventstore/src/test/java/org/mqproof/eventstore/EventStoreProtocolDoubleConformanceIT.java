package org.mqproof.eventstore;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("EventStore adapter on a protocol double, no server ran: many appends under way")
class EventStoreProtocolDoubleConformanceIT extends EventStoreProtocolDoubleConformance {

  EventStoreProtocolDoubleConformanceIT() {
    super(Map.of());
  }
}
