package org.mqproof.nats;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.ClaimingSettings;
import org.mqproof.support.Tls;

/** The settings, what they promise, and what they mean to NATS. Immutable. */
final class NatsSettings extends ClaimingSettings {

  static final Setting<String> SERVERS =
      Setting.pattern(
          "servers",
          "localhost:4222",
          Pattern.compile(
              "([^\\s,:/?@\\[\\]]+|\\[[0-9a-fA-F:.]+]):\\d{1,5}"
                  + "(,([^\\s,:/?@\\[\\]]+|\\[[0-9a-fA-F:.]+]):\\d{1,5})*"),
          "host:port, separated by commas",
          "Servers of one cluster, taken in any order; those that they tell of are not used.");
  static final Setting<Integer> REPLICAS =
      Setting.integer(
          "replicas",
          3,
          1,
          5,
          "Servers that have each message; what a new queue gets, and what one that exists must at"
              + " least have.");
  static final Setting<Duration> CLAIM_PERIOD = claimPeriod("the consumer's ack_wait");
  static final Setting<Integer> MAX_ACK_PENDING =
      Setting.integer(
          "max.ack.pending",
          100_000,
          1,
          10_000_000,
          "Most messages that all receivers of a queue together hold unacked; then nobody gets more.");
  static final Setting<Boolean> CHECK_QUEUE =
      Setting.bool(
          "check.queue",
          true,
          "Whether a queue whose stream or consumer would lose messages, or keep other promises than"
              + " these settings, is refused.");
  static final Setting<String> USERNAME =
      Setting.pattern("username", "", Pattern.compile(".*"), "any text", "Who connects.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "", "The password of that user.");
  static final Setting<String> TOKEN =
      Setting.secret("token", "", "The token of who connects, for servers that ask for one.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofSeconds(1),
          "Longest wait for a connection to any of the servers; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(8),
          "Longest time any call takes when NATS does not answer. A quarter of it is the longest that"
              + " one answer takes, and that a silent connection is used.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(NatsOptions.ALL);

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              SERVERS,
              REPLICAS,
              CLAIM_PERIOD,
              MAX_ACK_PENDING,
              CHECK_QUEUE,
              USERNAME,
              PASSWORD,
              TOKEN,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** For another server to lead, and to notice that a claim has ended. */
  private static final Duration TIME_TO_NOTICE = Duration.ofSeconds(10);

  private static final int MOST_HEADERS = 100;
  private static final int LARGEST_HEADERS_BYTES = 16 << 10;

  private final Optional<Tls> tls;

  NatsSettings(Settings settings) {
    super(settings, CALL_BOUND, CLAIM_PERIOD);
    requireAQuarter("nats", CONNECT_BOUND);
    if (get(USERNAME).isEmpty() && !get(PASSWORD).isEmpty()) {
      throw new IllegalArgumentException("nats: setting password is of no use without username");
    }
    if (!get(USERNAME).isEmpty() && !get(TOKEN).isEmpty()) {
      throw new IllegalArgumentException("nats: settings username and token exclude each other");
    }
    tls = Tls.of("nats", settings);
    NatsOptions.check(get(CLIENT));
  }

  Optional<Tls> tls() {
    return tls;
  }

  List<String> servers() {
    return List.of(get(SERVERS).split(","));
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "NATS at " + get(SERVERS);
  }

  /**
   * What is promised over a connection.
   *
   * @param maxPayloadBytes of the server: a message with its headers as they are on the wire
   * @throws IllegalArgumentException if no message of a useful size fits
   */
  Traits traits(long maxPayloadBytes) {
    int most = (int) Math.min(maxPayloadBytes, Integer.MAX_VALUE);
    int largestHeaders = Math.min(LARGEST_HEADERS_BYTES, most / 4);
    int replicas = get(REPLICAS);
    return claimingTraits("replicas=" + replicas, TIME_TO_NOTICE)
        .durable(true)
        .copies(replicas)
        .replicationAwaited(replicas >= 2)
        .largestBodyBytes(most - HeaderText.mostMoreBytes(MOST_HEADERS, largestHeaders))
        .mostInFlight(get(MAX_ACK_PENDING))
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(largestHeaders)
        .powerCut(PowerCut.LOST) // unless sync_interval is always, which cannot be asked for
        .notChecked(get(CHECK_QUEUE) ? Set.of() : Set.of(Traits.EVERY_SETTING))
        .build();
  }
}
