package org.mqproof.rocketmq;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.ClaimingSettings;

/** The settings, what they promise, and what they mean to RocketMQ. Immutable. */
final class RocketMqSettings extends ClaimingSettings {

  /** What a confirm waits for at the leader. */
  enum Flush {
    SYNC,
    ASYNC
  }

  static final Setting<String> NAME_SERVERS =
      Setting.pattern(
          "name.servers",
          "localhost:9876",
          Pattern.compile("[^\\s,:/?@\\[\\]]+:\\d{1,5}(,[^\\s,:/?@\\[\\]]+:\\d{1,5})*"),
          "host:port, separated by commas",
          "Name servers of one cluster, asked in turn who leads.");
  static final Setting<String> BROKER =
      Setting.pattern(
          "broker",
          "broker-a",
          Pattern.compile("[a-zA-Z0-9_-]{1,100}"),
          "a brokerName",
          "The brokerName of the replicas that have all queues of this connection.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          2,
          1,
          10,
          "Replicas that have each confirmed message: the brokers' minInSyncReplicas must be at"
              + " least this, and allAckInSyncStateSet true.");
  static final Setting<Flush> FLUSH =
      Setting.oneOf(
          "flush",
          Flush.SYNC,
          "Whether a confirm awaits the leader's disk: sync, for which the brokers need"
              + " flushDiskType=SYNC_FLUSH; or async.");
  static final Setting<Duration> CLAIM_PERIOD =
      claimPeriod("on the broker's clock, and some seconds until the broker notices");
  static final Setting<Boolean> CHECK_BROKER =
      Setting.bool(
          "check.broker",
          true,
          "Whether brokers are refused whose configuration would lose messages, or keeps less than"
              + " these settings promise.");
  static final Setting<Duration> CONNECT_BOUND =
      Setting.duration(
          "connect.bound",
          Duration.ofSeconds(3),
          Duration.ofSeconds(1),
          Duration.ofMinutes(10),
          "Longest wait for a connection to one server; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(8),
          "Longest time any call takes when RocketMQ does not answer. A quarter of it is the"
              + " longest that one answer takes.");

  static final List<Setting<?>> ALL =
      List.of(
          NAME_SERVERS,
          BROKER,
          COPIES,
          FLUSH,
          CLAIM_PERIOD,
          CHECK_BROKER,
          CONNECT_BOUND,
          CALL_BOUND);

  /** For a broker to notice that a claim has ended, and for another to become the leader. */
  private static final Duration TIME_TO_NOTICE = Duration.ofSeconds(20);

  /** A message has its headers, its topic and what the broker adds in at most so many bytes. */
  private static final int MORE_BYTES = 64 << 10;

  private static final int MOST_HEADERS = 100;
  private static final int LARGEST_HEADERS_BYTES = 16 << 10;

  RocketMqSettings(Settings settings) {
    super(settings, CALL_BOUND, CLAIM_PERIOD);
    requireAQuarter("rocketmq", CONNECT_BOUND);
  }

  List<String> nameServers() {
    return List.of(get(NAME_SERVERS).split(","));
  }

  String broker() {
    return get(BROKER);
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "RocketMQ at " + get(NAME_SERVERS);
  }

  /** What is promised over a connection to brokers of that configuration. */
  Traits traits(BrokerPromise promise) {
    int copies = get(COPIES);
    return claimingTraits("flush=" + text(get(FLUSH)), TIME_TO_NOTICE)
        .durable(true)
        .copies(copies)
        .replicationAwaited(copies >= 2)
        .largestBodyBytes(promise.largestMessageBytes() - MORE_BYTES)
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(LARGEST_HEADERS_BYTES)
        .retention(promise.retention())
        .powerCut(PowerCut.LOST)
        .notChecked(get(CHECK_BROKER) ? Set.of() : Set.of(Traits.EVERY_SETTING))
        .build();
  }
}
