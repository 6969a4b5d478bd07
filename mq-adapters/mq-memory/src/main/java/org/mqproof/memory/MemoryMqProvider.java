package org.mqproof.memory;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;

/**
 * Connects to a {@link MemoryBroker} by name. The first connection of a name starts the broker; it
 * lives until the JVM ends, so that messages outlive their clients. To free their memory, delete
 * the queues. Thread-safe.
 */
public final class MemoryMqProvider implements MqProvider {

  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final Duration YEAR = Duration.ofDays(365);

  private static final Setting<String> BROKER =
      Setting.text(
          "broker",
          "default",
          "any name",
          "Connections of one JVM with the same name share one broker.");
  private static final Setting<Duration> CLAIM_PERIOD =
      Setting.duration(
          "claim.period",
          Duration.ofSeconds(30),
          MILLISECOND,
          YEAR,
          "Time after which an unacked claim expires.");
  private static final Setting<Integer> CAPACITY =
      Setting.integer(
          "capacity",
          1_000_000,
          1,
          Integer.MAX_VALUE,
          "Messages in a queue, acked ones not counted, at which a sender has to wait.");
  private static final Setting<Integer> LARGEST_BODY =
      Setting.integer(
          "largest.body.bytes",
          1 << 20,
          1,
          Integer.MAX_VALUE,
          "The largest body and its headers together; a larger message is rejected.");
  private static final Setting<Integer> MOST_HEADERS =
      Setting.integer(
          "most.headers",
          100,
          0,
          Integer.MAX_VALUE,
          "Headers that a message can have; one with more is rejected.");
  private static final Setting<Integer> LARGEST_HEADERS =
      Setting.integer(
          "largest.headers.bytes",
          1 << 16,
          0,
          Integer.MAX_VALUE,
          "The largest headers of a message, all together; a message with larger ones is rejected.");
  private static final Setting<Integer> MOST_IN_FLIGHT =
      Setting.integer(
          "most.in.flight",
          Integer.MAX_VALUE,
          1,
          Integer.MAX_VALUE,
          "Unacked deliveries that one receiver can hold.");
  private static final Setting<Duration> CALL_BOUND =
      Setting.duration(
          "call.bound",
          Duration.ofSeconds(5),
          MILLISECOND,
          YEAR,
          "Longest wait for a hung broker's answer, and for room in a full queue.");

  private static final ConcurrentHashMap<String, MemoryBroker> BROKERS = new ConcurrentHashMap<>();

  /** For the service loader. */
  public MemoryMqProvider() {}

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(
        BROKER,
        CLAIM_PERIOD,
        CAPACITY,
        LARGEST_BODY,
        MOST_HEADERS,
        LARGEST_HEADERS,
        MOST_IN_FLIGHT,
        CALL_BOUND);
  }

  /**
   * Connects to the broker of that name, and starts it if there is none yet.
   *
   * @param settings see {@link #settings()}
   * @throws IllegalArgumentException if a setting is unknown or malformed, or a broker of that name
   *     was started with other settings
   */
  @Override
  public Mq connect(Map<String, String> settings) {
    Settings checked = Settings.of(this, settings);
    String name = checked.get(BROKER);
    MemoryBroker.Builder asked =
        MemoryBroker.builder()
            .name(name)
            .claimPeriod(checked.get(CLAIM_PERIOD))
            .capacity(checked.get(CAPACITY))
            .largestBodyBytes(checked.get(LARGEST_BODY))
            .mostHeaders(checked.get(MOST_HEADERS))
            .largestHeadersBytes(checked.get(LARGEST_HEADERS))
            .mostInFlight(checked.get(MOST_IN_FLIGHT))
            .callBound(checked.get(CALL_BOUND));
    MemoryBroker broker = BROKERS.computeIfAbsent(name, n -> asked.build());
    if (!broker.properties().equals(asked.properties())) {
      throw new IllegalArgumentException(
          "memory: broker '%s' was started with %s and cannot be joined with %s; give it another name"
              .formatted(name, broker.properties(), asked.properties()));
    }
    return broker.connect();
  }
}
