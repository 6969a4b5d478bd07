package org.mqproof.eventstore;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("EventStore adapter on a protocol double, no server ran: one append after the other")
@Tag("full") // the same requests: only how many are under way differs
class EventStoreProtocolDoubleInOrderConformanceIT extends EventStoreProtocolDoubleConformance {

  EventStoreProtocolDoubleInOrderConformanceIT() {
    super(Map.of("appends.in.flight", "1"));
  }
}
