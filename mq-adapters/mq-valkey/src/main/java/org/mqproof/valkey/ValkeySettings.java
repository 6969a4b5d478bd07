package org.mqproof.valkey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.spi.ClientOptions;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.ClaimingSettings;
import org.mqproof.support.Tls;

/** The settings, what they promise, and what they mean to Valkey. Immutable. */
final class ValkeySettings extends ClaimingSettings {

  /** What a confirm waits for. */
  enum Confirm {
    WAIT,
    WAITAOF
  }

  static final Setting<String> ADDRESSES =
      Setting.pattern(
          "addresses",
          "localhost:6379",
          Pattern.compile(
              "([^\\s,:/?@\\[\\]]+|\\[[0-9a-fA-F:.]+]):\\d{1,5}"
                  + "(,([^\\s,:/?@\\[\\]]+|\\[[0-9a-fA-F:.]+]):\\d{1,5})*"),
          "host:port, separated by commas",
          "Every node that is the primary, or may become it.");
  static final Setting<Confirm> CONFIRM =
      Setting.oneOf(
          "confirm",
          Confirm.WAIT,
          "What a confirm and an ack wait for: wait, the memory of wait.replicas replicas; waitaof,"
              + " the disk of the primary and those of as many replicas, for which every server"
              + " needs appendonly yes and appendfsync always.");
  static final Setting<Integer> WAIT_REPLICAS =
      Setting.integer(
          "wait.replicas",
          1,
          0,
          50,
          "Replicas that a confirm waits for; a primary with fewer connected is not used.");
  static final Setting<Duration> CLAIM_PERIOD = claimPeriod("on the primary's clock");
  static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer("max.body.bytes", 16 << 20, 1, 128 << 20, "Largest body, with its headers.");
  static final Setting<Boolean> CHECK_SERVER =
      Setting.bool(
          "check.server",
          true,
          "Whether a primary is refused that would evict messages (maxmemory with a"
              + " maxmemory-policy other than noeviction), or, with confirm=waitaof, does not await"
              + " its disk.");
  static final Setting<String> USERNAME =
      Setting.pattern(
          "username",
          "",
          Pattern.compile(".*"),
          "any text",
          "Who connects; with a password alone, the user default.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "", "The password of that user.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofSeconds(1),
          "Longest wait for a connection to a primary; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(8),
          "Longest time any call takes when Valkey does not answer. A quarter of it is the longest"
              + " that one answer takes before the connection counts as lost.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(ClientOptions.of("jedis"));

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              ADDRESSES,
              CONFIRM,
              WAIT_REPLICAS,
              CLAIM_PERIOD,
              MAX_BODY_BYTES,
              CHECK_SERVER,
              USERNAME,
              PASSWORD,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** For a receiver to look for claims that have ended, and for a fail-over while it does. */
  private static final Duration TIME_TO_NOTICE = Duration.ofSeconds(5);

  private static final int MOST_HEADERS = 100;
  private static final int LARGEST_HEADERS_BYTES = 64 << 10;

  private final Optional<Tls> tls;
  private final Traits traits;

  ValkeySettings(Settings settings) {
    super(settings, CALL_BOUND, CLAIM_PERIOD);
    requireAQuarter("valkey", CONNECT_BOUND);
    if (!get(USERNAME).isEmpty() && get(PASSWORD).isEmpty()) {
      throw new IllegalArgumentException("valkey: setting username is of no use without password");
    }
    tls = Tls.of("valkey", settings);
    traits = makeTraits();
  }

  Optional<Tls> tls() {
    return tls;
  }

  Traits traits() {
    return traits;
  }

  List<String> addresses() {
    return List.of(get(ADDRESSES).split(","));
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "Valkey at " + get(ADDRESSES);
  }

  private Traits makeTraits() {
    boolean disks = get(CONFIRM) == Confirm.WAITAOF;
    return claimingTraits("confirm=" + text(get(CONFIRM)), TIME_TO_NOTICE)
        // While it syncs its disk, a server with appendfsync=everysec may answer before it writes.
        .durable(disks)
        .copies(1 + get(WAIT_REPLICAS)) // there may be more
        .replicationAwaited(get(WAIT_REPLICAS) >= 1)
        .largestBodyBytes(get(MAX_BODY_BYTES))
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(Math.min(LARGEST_HEADERS_BYTES, get(MAX_BODY_BYTES)))
        .powerCut(disks ? PowerCut.SURVIVED : PowerCut.LOST)
        .notChecked(get(CHECK_SERVER) ? Set.of() : Set.of(Traits.EVERY_SETTING))
        .build();
  }
}
