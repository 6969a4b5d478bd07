package org.mqproof.eventstore;

import io.kurrent.dbclient.proto.persistentsubscriptions.Persistent;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.mqproof.Mq;
import org.mqproof.conformance.BrokenQueue;
import org.mqproof.conformance.MqConformance;
import org.mqproof.spi.MqProvider;

/**
 * The kit against a protocol double, in one mode: shows that the client's side of each rule holds
 * where the server does what its protocol says. No server runs here.
 */
abstract class EventStoreProtocolDoubleConformance extends MqConformance {

  private static final AtomicReference<ProtocolDouble> RUNNING = new AtomicReference<>();

  private final Map<String, String> mode;

  EventStoreProtocolDoubleConformance(Map<String, String> mode) {
    this.mode = mode;
  }

  @BeforeAll
  static void startTheDouble() {
    RUNNING.set(new ProtocolDouble());
  }

  @AfterAll
  static void stopTheDouble() {
    running().close();
  }

  private static ProtocolDouble running() {
    return Objects.requireNonNull(RUNNING.get());
  }

  @Override
  protected Mq connect() {
    return connect(Map.of("addresses", running().endpoint(), "claim.period", "5s"));
  }

  @Override
  protected Map<String, BrokenQueue> brokenQueues() {
    return Map.of(
        "maxRetryCount=10", queue -> group(queue, 10_000, 10),
        "messageTimeout=5000 ms", queue -> group(queue, 5_000, Integer.MAX_VALUE));
  }

  /** A group that others made. */
  private static AutoCloseable group(String queue, int timeoutMillis, int retries) {
    running()
        .createGroup(
            queue,
            Persistent.CreateReq.Settings.newBuilder()
                .setMessageTimeoutMs(timeoutMillis)
                .setMaxRetryCount(retries)
                .build());
    return () -> {};
  }

  @Override
  protected Mq connectToDead() {
    return connect(Map.of("addresses", deadEndpoint(), "connect.bound", "2s"));
  }

  @Override
  protected Mq connectToHung() {
    return connect(Map.of("addresses", hungEndpoint(), "connect.bound", "2s"));
  }

  private Mq connect(Map<String, String> where) {
    Map<String, String> settings = new HashMap<>(mode);
    settings.putAll(Map.of("tls", "false", "copies", "1"));
    settings.putAll(where);
    return MqProvider.named("eventstore").connect(settings);
  }
}
