package org.mqproof.eventstore;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("EventStore adapter on a protocol double, no server ran: one append after the other")
class EventStoreProtocolDoubleInOrderConformanceIT extends EventStoreProtocolDoubleConformance {

  EventStoreProtocolDoubleInOrderConformanceIT() {
    super(Map.of("appends.in.flight", "1"));
  }
}
