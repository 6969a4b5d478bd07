package org.mqproof.pulsar;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BoundedSettings;
import org.mqproof.support.Tls;

/** The settings, what they promise, and what they mean to Pulsar. Immutable. */
final class PulsarSettings extends BoundedSettings {

  private static final String HOSTS = "[^\\s,:/]+:\\d{1,5}(,[^\\s,:/]+:\\d{1,5})*";
  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9._-]{1,100}");
  private static final String NAME_TEXT = "1 to 100 letters, digits, dots, dashes or underscores";

  static final Setting<String> SERVICE_URL =
      Setting.pattern(
          "service.url",
          "pulsar://localhost:6650",
          Pattern.compile("pulsar(\\+ssl)?://" + HOSTS),
          "pulsar:// or pulsar+ssl:// and host:port, separated by commas",
          "Brokers, any of which says where a queue is.");
  static final Setting<String> ADMIN_URL =
      Setting.pattern(
          "admin.url",
          "http://localhost:8080",
          Pattern.compile("https?://" + HOSTS),
          "http:// or https:// and host:port, separated by commas",
          "The same brokers' administration, tried in this order.");
  static final Setting<String> TOKEN =
      Setting.secret(
          "token",
          "none",
          "The JSON Web Token of who connects; none where brokers ask for none, or know the"
              + " certificate of tls.cert.file.");
  static final Setting<String> TENANT =
      Setting.pattern("tenant", "public", NAME, NAME_TEXT, "The tenant, which must exist.");
  static final Setting<String> NAMESPACE =
      Setting.pattern(
          "namespace",
          "mqproof",
          NAME,
          NAME_TEXT,
          "The namespace with the queues, to whose name the three quorums are added; made if it is"
              + " not there.");
  static final Setting<String> SUBSCRIPTION =
      Setting.pattern(
          "subscription", "mqproof", NAME, NAME_TEXT, "The subscription that receivers share.");
  static final Setting<Integer> ENSEMBLE =
      Setting.integer(
          "ensemble", 2, 1, 100, "Bookies over which the messages of a queue are spread.");
  static final Setting<Integer> WRITE_QUORUM =
      Setting.integer(
          "write.quorum", 2, 1, 100, "Bookies that get each message; at most the ensemble.");
  static final Setting<Integer> ACK_QUORUM =
      Setting.integer(
          "ack.quorum",
          2,
          1,
          100,
          "Bookies that must have a message before it is confirmed; at most the write quorum.");
  static final Setting<Boolean> CHECK_NAMESPACE =
      Setting.bool(
          "check.namespace",
          true,
          "Whether brokers and namespaces are refused that drop messages by age or to make room, or"
              + " that delete a subscription without receivers; what this user may not see is not"
              + " checked.");
  static final Setting<Boolean> BATCHING =
      Setting.bool("batching", true, "Whether the client stores several messages as one entry.");
  static final Setting<Duration> BATCH_DELAY =
      Setting.duration(
          "batch.delay",
          Duration.ofMillis(1),
          Duration.ofMillis(1),
          Duration.ofSeconds(10),
          "Longest time that a message waits for others to be stored with; send does not wait for"
              + " more (batching only).");
  static final Setting<Integer> BATCH_BYTES =
      Setting.integer(
          "batch.bytes", 128 << 10, 1, 5 << 20, "Most bytes stored as one entry (batching only).");
  static final Setting<Integer> SEND_WINDOW =
      Setting.integer(
          "send.window",
          5_000,
          1,
          1 << 20,
          "Most messages of one sender that wait for their confirm.");
  static final Setting<Integer> PREFETCH =
      Setting.integer(
          "prefetch",
          1_000,
          1,
          100_000,
          "Messages that the broker hands to a receiver before they are asked for; they are claimed"
              + " from then on, so a large number takes work away from other receivers.");
  static final Setting<Integer> IN_FLIGHT =
      Setting.integer(
          "in.flight",
          10_000,
          1,
          1 << 20,
          "Most deliveries that one receiver holds unacked; with what is prefetched it must stay"
              + " below the broker's maxUnackedMessagesPerConsumer, 50000 by default.");
  static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer(
          "max.body.bytes",
          (5 << 20) - 1_024,
          1,
          128 << 20,
          "Largest body and headers together; the brokers' maxMessageSize, 5 MiB by default, must admit it and 1 KiB that"
              + " is added.");
  static final Setting<Duration> KEEP_ALIVE =
      Setting.duration(
          "keep.alive",
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofMinutes(10),
          "Interval at which a broker is asked whether it lives, in whole seconds; one that leaves"
              + " two unanswered is taken for dead; at most a quarter of call.bound.");
  static final Setting<Duration> BROKER_KEEP_ALIVE =
      Setting.duration(
          "broker.keep.alive",
          Duration.ofSeconds(30),
          Duration.ofSeconds(1),
          Duration.ofMinutes(10),
          "The brokers' keepAliveIntervalSeconds, which a client cannot see: it bounds how long a"
              + " receiver whose machine is gone keeps its messages.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofMillis(100),
          "Longest time in which a connection must be made; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(4), "Longest time any call takes when the brokers do not answer.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(PulsarOptions.ALL);

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              SERVICE_URL,
              ADMIN_URL,
              TOKEN,
              TENANT,
              NAMESPACE,
              SUBSCRIPTION,
              ENSEMBLE,
              WRITE_QUORUM,
              ACK_QUORUM,
              CHECK_NAMESPACE,
              BATCHING,
              BATCH_DELAY,
              BATCH_BYTES,
              SEND_WINDOW,
              PREFETCH,
              IN_FLIGHT,
              MAX_BODY_BYTES,
              KEEP_ALIVE,
              BROKER_KEEP_ALIVE,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** Time for a broker to hand out anew what a dead receiver held, beyond its two questions. */
  private static final Duration REDELIVERY_TIME = Duration.ofSeconds(10);

  /** Each adds up to 10 bytes of its own; all of them fit into the 1 KiB above. */
  private static final int MOST_HEADERS = 64;

  private static final int LARGEST_HEADERS_BYTES = 64 << 10;

  /**
   * Whether bookies await their disks, as they do by default: no client of Pulsar can ask for it.
   */
  private static final String BOOKIES_SYNC = "journalSyncData";

  private final Optional<Tls> tls;
  private final Traits traits;

  PulsarSettings(Settings settings) {
    super(settings, CALL_BOUND);
    requireAtMost(WRITE_QUORUM, ENSEMBLE);
    requireAtMost(ACK_QUORUM, WRITE_QUORUM);
    requireAQuarter("pulsar", KEEP_ALIVE);
    requireAQuarter("pulsar", CONNECT_BOUND);
    tls = Tls.of("pulsar", settings);
    boolean encrypts = get(SERVICE_URL).startsWith("pulsar+ssl:");
    if (encrypts != tls.isPresent() || encrypts != get(ADMIN_URL).startsWith("https:")) {
      throw new IllegalArgumentException(
          "pulsar: settings tls=true, service.url=pulsar+ssl://... and admin.url=https://... go"
              + " together");
    }
    PulsarOptions.check(get(CLIENT));
    traits = makeTraits();
  }

  private void requireAtMost(Setting<Integer> setting, Setting<Integer> other) {
    if (get(setting) > get(other)) {
      throw new IllegalArgumentException(
          "pulsar: setting %s cannot be %d: it takes at most %s, %d"
              .formatted(setting.key(), get(setting), other.key(), get(other)));
    }
  }

  Traits traits() {
    return traits;
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "Pulsar at " + get(SERVICE_URL);
  }

  /** The administration of each broker, with which a path begins. */
  List<URI> adminUrls() {
    String all = get(ADMIN_URL);
    int hosts = all.indexOf("://") + 3;
    String scheme = all.substring(0, hosts);
    return Arrays.stream(all.substring(hosts).split(","))
        .map(host -> URI.create(scheme + host))
        .toList();
  }

  Optional<Tls> tls() {
    return tls;
  }

  /** For a look at why TLS did not let us in. */
  List<String> addresses() {
    String all = get(ADMIN_URL);
    return List.of(all.substring(all.indexOf("://") + 3).split(",", -1));
  }

  Optional<String> token() {
    return Optional.of(get(TOKEN)).filter(token -> !token.equals("none"));
  }

  /** As it is in paths and in the names of topics. */
  String namespace() {
    return "%s/%s-%d-%d-%d"
        .formatted(get(TENANT), get(NAMESPACE), get(ENSEMBLE), get(WRITE_QUORUM), get(ACK_QUORUM));
  }

  String topic(String queue) {
    return "persistent://" + namespace() + "/" + queue;
  }

  private Traits makeTraits() {
    return Traits.mode(
            "ensemble=%d,write.quorum=%d,ack.quorum=%d"
                .formatted(get(ENSEMBLE), get(WRITE_QUORUM), get(ACK_QUORUM)))
        .durable(true) // a bookie confirms what is in its journal
        .copies(get(WRITE_QUORUM))
        .replicationAwaited(get(ACK_QUORUM) >= 2)
        .redeliveryBound(get(BROKER_KEEP_ALIVE).multipliedBy(2).plus(REDELIVERY_TIME))
        .ordering(Ordering.PER_SENDER)
        .ackMode(AckMode.SELECTIVE)
        .largestBodyBytes(get(MAX_BODY_BYTES))
        .release(Release.SAME_RECEIVER)
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(Math.min(LARGEST_HEADERS_BYTES, get(MAX_BODY_BYTES)))
        .mostInFlight(get(IN_FLIGHT))
        .callBound(callBound())
        .powerCut(get(ACK_QUORUM) >= 2 ? PowerCut.SURVIVED : PowerCut.NOT_SHOWN)
        .notChecked(Set.of(get(CHECK_NAMESPACE) ? BOOKIES_SYNC : Traits.EVERY_SETTING))
        .build();
  }
}
