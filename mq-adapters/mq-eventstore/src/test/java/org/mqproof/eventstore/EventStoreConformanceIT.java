package org.mqproof.eventstore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.mqproof.Mq;
import org.mqproof.cluster.TestCluster;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/**
 * The kit against a real server, which the user runs: no server of this system can be had from
 * Maven Central or from Debian. Settings of the adapter are given as system properties with {@code
 * mqproof.eventstore.} before their key.
 */
@DisplayName("EventStoreDB or KurrentDB, on a server that runs elsewhere")
class EventStoreConformanceIT extends MqConformance {

  private static final String PREFIX = "mqproof.eventstore.";

  @BeforeAll
  static void requireServer() {
    if (System.getProperty(PREFIX + "addresses") == null) {
      String why =
          "EventStoreDB: no server can be had from Maven Central or Debian; start one, for example"
              + " docker run -p 2113:2113 kurrentplatform/kurrentdb --insecure, and run again with"
              + " -Dmqproof.eventstore.addresses=localhost:2113 -Dmqproof.eventstore.tls=false"
              + " -Dmqproof.eventstore.copies=1";
      String required = System.getProperty(TestCluster.REQUIRED_PROPERTY, "");
      if (List.of(required.split(",")).contains("eventstore")) {
        throw new IllegalStateException(why);
      }
      System.err.println("skipped: " + why); // Maven prints no reason of a skipped class
      Assumptions.abort(why);
    }
  }

  @Override
  protected Mq connect() {
    Map<String, String> settings = new HashMap<>(Map.of("claim.period", "5s"));
    new EventStoreMqProvider()
        .settings()
        .forEach(
            setting -> {
              String given = System.getProperty(PREFIX + setting.key());
              if (given != null) {
                settings.put(setting.key(), given);
              }
            });
    return MqProvider.named("eventstore").connect(settings);
  }

  @Override
  protected Mq connectToDead() {
    return connectTo(deadEndpoint());
  }

  @Override
  protected Mq connectToHung() {
    return connectTo(hungEndpoint());
  }

  private static Mq connectTo(String address) {
    return MqProvider.named("eventstore")
        .connect(Map.of("addresses", address, "tls", "false", "connect.bound", "2s"));
  }
}
