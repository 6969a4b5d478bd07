package org.mqproof.jms;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BoundedSettings;
import org.mqproof.support.Tls;

/** The settings that both brokers have, and what they promise. Immutable. */
public final class JmsSettings {

  /** How a batch is sent and confirmed. */
  public enum Send {
    /** What has gathered, up to some thousand messages, is one transaction and one commit. */
    TRANSACTED,
    /** Each message is confirmed for itself, and none waits for the confirm of another. */
    ASYNC,
    /** Each message is sent when the one before it is confirmed. */
    PER_MESSAGE
  }

  /** Where the nodes are. */
  public static final Setting<String> ADDRESSES =
      Setting.pattern(
          "addresses",
          "localhost:61616",
          // Nothing that would be an option where a client library takes an address as a URI.
          Pattern.compile("[\\p{Alnum}._-]+:\\d{1,5}(,[\\p{Alnum}._-]+:\\d{1,5})*"),
          "host:port, separated by commas",
          "Every node that may serve, the primary and its backups; one of them does.");

  /** How to send. */
  public static final Setting<Send> SEND =
      Setting.oneOf(
          "send",
          Send.TRANSACTED,
          "How messages are confirmed: batches that gather while a commit is under way share the"
              + " next one (transacted), each message by itself without waiting for the others"
              + " (async), or one after the other (per-message).");

  /** Sessions that send. */
  public static final Setting<Integer> SEND_SESSIONS =
      Setting.integer(
          "send.sessions",
          1,
          1,
          64,
          "Sessions, each with a connection and a thread, that the senders of one connection share:"
              + " with fewer, more batches gather in one commit.");

  /** Most deliveries in flight. */
  public static final Setting<Integer> PREFETCH =
      Setting.integer(
          "prefetch",
          1_000,
          1,
          100_000,
          "Most messages that one receiver has unacked, delivered or waiting to be; the rate is at"
              + " most prefetch by round trip.");

  /** The largest body. */
  public static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer("max.body.bytes", 1 << 20, 1, 64 << 20, "Largest body, with its headers.");

  /** Time to connect. */
  public static final Setting<Duration> CONNECT_BOUND =
      BoundedSettings.connectBound(
          Duration.ofMillis(100),
          "Longest time in which one of the nodes must answer when connecting.");

  /** Time for a call. */
  public static final Setting<Duration> CALL_BOUND =
      BoundedSettings.callBound(
          Duration.ofSeconds(3),
          "Longest time any call takes when no node answers; the client's own time-outs are derived"
              + " from it.");

  /** Time to notice a dead node. */
  public static final Setting<Duration> SILENCE_BOUND =
      Setting.duration(
          "silence.bound",
          Duration.ofSeconds(6),
          Duration.ofSeconds(1),
          Duration.ofMinutes(10),
          "Silence after which a node, or for the broker a client, is taken for dead; the broker's"
              + " own limit may be shorter.");

  private static final List<Setting<?>> SHARED =
      List.of(
          ADDRESSES,
          SEND,
          SEND_SESSIONS,
          PREFETCH,
          MAX_BODY_BYTES,
          CONNECT_BOUND,
          CALL_BOUND,
          SILENCE_BOUND);

  /** Time from a broker's noticing a dead client to its messages being received elsewhere. */
  private static final Duration RETURN_TIME = Duration.ofSeconds(10);

  private static final int MOST_HEADERS = 100;

  /** Artemis keeps headers in a record of its journal, of at most 490 KiB by default. */
  private static final int LARGEST_HEADERS_BYTES = 32 << 10;

  private final String system;
  private final Settings settings;
  private final Setting<Integer> copies;
  private final Optional<Tls> tls;

  /**
   * Takes checked values.
   *
   * @param system the system's name in sentences, for example {@code "Artemis"}
   * @param provider whose settings these are
   * @param settings the values
   * @param copies the broker's own setting for the number of nodes that hold a message
   */
  public JmsSettings(
      String system, MqProvider provider, Settings settings, Setting<Integer> copies) {
    this.system = system;
    this.settings = settings;
    this.copies = copies;
    tls = Tls.of(provider.name(), settings);
    if (silenceBound().compareTo(stepBound()) > 0) {
      throw new IllegalArgumentException(
          "%s: setting silence.bound cannot be %s: it takes at most a third of call.bound, %s"
              .formatted(provider.name(), silenceBound(), stepBound()));
    }
  }

  /**
   * The shared settings with a broker's own and those of TLS.
   *
   * @param own the broker's
   * @return all, as documentation lists them
   */
  public static List<Setting<?>> with(List<Setting<?>> own) {
    return Tls.with(Stream.concat(SHARED.stream(), own.stream()).toList());
  }

  /**
   * The value of a setting.
   *
   * @param <T> the type of its values
   * @param setting one of the provider's settings
   * @return the value given, or the default
   */
  public <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  /**
   * A third of the bound: every call is made of at most three waits for a broker.
   *
   * @return the longest time of one step
   */
  public Duration stepBound() {
    return callBound().dividedBy(3);
  }

  /**
   * Time after which a silent node is taken for dead.
   *
   * @return the setting's value
   */
  public Duration silenceBound() {
    return get(SILENCE_BOUND);
  }

  /**
   * How connections are encrypted.
   *
   * @return empty if they are not
   */
  public Optional<Tls> tls() {
    return tls;
  }

  Duration callBound() {
    return get(CALL_BOUND);
  }

  List<String> addresses() {
    return List.of(get(ADDRESSES).split(",", -1));
  }

  /** Names the system in errors. */
  String endpoint() {
    return system + " at " + get(ADDRESSES);
  }

  /** Names the system's threads. */
  String threadName(String purpose) {
    return "mqproof-" + system.toLowerCase(Locale.ROOT) + "-" + purpose;
  }

  /**
   * What the mode promises.
   *
   * @param notChecked as {@link JmsBroker#notChecked()} says
   * @return the same at every call
   */
  public Traits traits(Set<String> notChecked) {
    int held = get(copies);
    return Traits.mode("send=" + get(SEND).name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .durable(true)
        .copies(held)
        .replicationAwaited(held > 1)
        .ordering(Ordering.PER_SENDER)
        .ackMode(AckMode.SELECTIVE)
        .redeliveryBound(silenceBound().multipliedBy(2).plus(RETURN_TIME))
        .release(Release.SAME_RECEIVER)
        .largestBodyBytes(get(MAX_BODY_BYTES))
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(Math.min(LARGEST_HEADERS_BYTES, get(MAX_BODY_BYTES)))
        .powerCut(get(SEND) == Send.TRANSACTED ? PowerCut.LOST : PowerCut.NOT_SHOWN)
        .mostInFlight(get(PREFETCH))
        .callBound(callBound())
        .notChecked(notChecked)
        .build();
  }
}
