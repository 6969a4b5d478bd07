package org.mqproof.eventstore;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.Traits;
import org.mqproof.spi.ClientOptions;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BoundedSettings;

/** The settings, what they promise, and what they mean to EventStoreDB. Immutable. */
final class EventStoreSettings extends BoundedSettings {

  /** To which of several receivers the server gives the next message. */
  enum ConsumerStrategy {
    ROUND_ROBIN("RoundRobin"),
    DISPATCH_TO_SINGLE("DispatchToSingle"),
    PINNED("Pinned");

    private final String onTheWire;

    ConsumerStrategy(String onTheWire) {
      this.onTheWire = onTheWire;
    }

    String onTheWire() {
      return onTheWire;
    }
  }

  static final Setting<String> ADDRESSES =
      Setting.pattern(
          "addresses",
          "localhost:2113",
          Pattern.compile("[^\\s,:]+:\\d{1,5}(,[^\\s,:]+:\\d{1,5})*"),
          "host:port, separated by commas",
          "Nodes of the cluster; where there are several, they are asked which of them leads.");
  static final Setting<String> CONNECTION_STRING =
      Setting.secret(
          "connection.string",
          "",
          "What EventStoreDB's own clients take, such as esdb://me:secret@host:2113?tls=true, instead"
              + " of addresses, credentials, tls and tls.ca.file.");
  static final Setting<String> CREDENTIALS =
      Setting.pattern(
          "credentials",
          "none",
          Pattern.compile("none|env|file:.+"),
          "none, env, or file: and a path",
          "Where the user's name and password are read: the environment variables"
              + " EVENTSTORE_USERNAME and EVENTSTORE_PASSWORD, or a properties file with username"
              + " and password.");
  static final Setting<Boolean> TLS =
      Setting.bool(
          "tls", true, "Whether the connection is encrypted and the server's name proven.");
  static final Setting<String> TLS_CA_FILE =
      Setting.text(
          "tls.ca.file",
          "system",
          "system, or a path",
          "Who is trusted to name a server: the Java installation's authorities, or those of a PEM"
              + " file.");
  static final Setting<String> GROUP =
      Setting.pattern(
          "group",
          "mqproof",
          Pattern.compile("[a-zA-Z0-9._-]{1,100}"),
          "1 to 100 letters, digits, dots, dashes or underscores",
          "The persistent subscription whose consumers the receivers of a queue are.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          3,
          1,
          9,
          "Nodes of the cluster: each holds every message, and a confirm waits for most of them.");
  static final Setting<Integer> APPENDS_IN_FLIGHT =
      Setting.integer(
          "appends.in.flight",
          16,
          1,
          1_000,
          "Most append requests of one sender that wait for their confirm; with 1 its messages keep"
              + " their order.");
  static final Setting<Integer> MAX_APPEND_BYTES =
      Setting.integer(
          "max.append.bytes",
          1 << 20,
          4 << 10,
          16 << 20,
          "Largest append request, which carries a whole batch or, if that is larger, a part of it;"
              + " the server's own MaxAppendSize, 1 MiB by default, must admit it.");
  static final Setting<Integer> PREFETCH =
      Setting.integer(
          "prefetch",
          1_000,
          1,
          100_000,
          "The subscription's buffer size: most unacked messages that the server hands to one"
              + " receiver, before they are asked for or after; they are claimed from then on.");
  static final Setting<Integer> ACK_BATCH =
      Setting.integer(
          "ack.batch",
          256,
          1,
          2_000,
          "Most acks in one request, and most that are gathered while the server's answer to"
              + " earlier ones is awaited.");
  static final Setting<Duration> CLAIM_PERIOD =
      Setting.duration(
          "claim.period",
          Duration.ofSeconds(30),
          Duration.ofSeconds(2),
          Duration.ofHours(24),
          "How long a message is claimed at least once it is handed out; half of the group's message"
              + " timeout, so that what was fetched ahead may wait here as long. An ack in the last"
              + " tenth of this period before that timeout, or in the last 5 s if that is shorter,"
              + " fails without being sent: it could meet the next receiver's claim.");
  static final Setting<ConsumerStrategy> CONSUMER_STRATEGY =
      Setting.oneOf(
          "consumer.strategy",
          ConsumerStrategy.ROUND_ROBIN,
          "To which of several receivers the server gives the next message.");
  static final Setting<Integer> READ_BATCH_SIZE =
      Setting.integer(
          "read.batch.size",
          1_000,
          1,
          100_000,
          "Messages that the server reads at once while a group is behind; less than"
              + " history.buffer.size.");
  static final Setting<Integer> HISTORY_BUFFER_SIZE =
      Setting.integer(
          "history.buffer.size",
          2_000,
          2,
          1_000_000,
          "Most messages that the server buffers for a group that is behind.");
  static final Setting<Integer> LIVE_BUFFER_SIZE =
      Setting.integer(
          "live.buffer.size",
          2_000,
          1,
          1_000_000,
          "Most messages that the server buffers for a group that keeps up.");
  static final Setting<Duration> CHECKPOINT_AFTER =
      Setting.duration(
          "checkpoint.after",
          Duration.ofSeconds(2),
          Duration.ofMillis(100),
          Duration.ofHours(1),
          "Least time between two checkpoints of a group; what was acked after the last one comes"
              + " again after a crash of the server.");
  static final Setting<Integer> CHECKPOINT_MIN_COUNT =
      Setting.integer(
          "checkpoint.min.count",
          10,
          1,
          1_000_000,
          "Least messages between two checkpoints of a group.");
  static final Setting<Integer> CHECKPOINT_MAX_COUNT =
      Setting.integer(
          "checkpoint.max.count",
          1_000,
          1,
          1_000_000,
          "Messages after which a checkpoint is written without waiting for its time.");
  static final Setting<Boolean> RESOLVE_LINKS =
      Setting.bool(
          "resolve.links",
          false,
          "Whether an event that only links to another stands for that other one.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofMillis(100),
          "Longest time in which one of the nodes must answer whenever a connection is needed; at"
              + " most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(2), "Longest time any call takes when the server does not answer.");

  static final Setting<Map<String, String>> CLIENT =
      Setting.client(ClientOptions.of("the gRPC channel"));

  static final List<Setting<?>> ALL =
      List.of(
          ADDRESSES,
          CONNECTION_STRING,
          CREDENTIALS,
          TLS,
          TLS_CA_FILE,
          GROUP,
          COPIES,
          APPENDS_IN_FLIGHT,
          MAX_APPEND_BYTES,
          PREFETCH,
          ACK_BATCH,
          CLAIM_PERIOD,
          CONSUMER_STRATEGY,
          READ_BATCH_SIZE,
          HISTORY_BUFFER_SIZE,
          LIVE_BUFFER_SIZE,
          CHECKPOINT_AFTER,
          CHECKPOINT_MIN_COUNT,
          CHECKPOINT_MAX_COUNT,
          RESOLVE_LINKS,
          CONNECT_BOUND,
          CALL_BOUND,
          CLIENT);

  /** What the server counts of an event besides its body: its type, twice a character. */
  static final int EVENT_OVERHEAD_BYTES = 64;

  /** The server looks for expired claims once a second. */
  private static final Duration EXPIRY_TIME = Duration.ofSeconds(5);

  private static final Duration LONGEST_MARGIN = Duration.ofSeconds(5);

  private final Optional<ConnectionString> whole;
  private final Traits traits;

  EventStoreSettings(Settings settings) {
    super(settings, CALL_BOUND);
    String text = get(CONNECTION_STRING);
    whole = text.isEmpty() ? Optional.empty() : Optional.of(ConnectionString.parse(text));
    for (Setting<?> part : List.of(ADDRESSES, CREDENTIALS, TLS, TLS_CA_FILE)) {
      if (whole.isPresent() && !get(part).toString().equals(part.defaultText())) {
        throw new IllegalArgumentException(
            "eventstore: settings connection.string and %s are both given: one is enough"
                .formatted(part.key()));
      }
    }
    requireAQuarter("eventstore", CONNECT_BOUND);
    if (get(READ_BATCH_SIZE) >= get(HISTORY_BUFFER_SIZE)) {
      throw new IllegalArgumentException(
          "eventstore: setting read.batch.size cannot be %d: it takes less than history.buffer.size, %d"
              .formatted(get(READ_BATCH_SIZE), get(HISTORY_BUFFER_SIZE)));
    }
    traits = makeTraits();
  }

  Traits traits() {
    return traits;
  }

  /** From the moment when the server hands a message over until it hands it to another receiver. */
  Duration messageTimeout() {
    return get(CLAIM_PERIOD).multipliedBy(2);
  }

  /**
   * How much earlier than the server a receiver takes its claim for ended: the server counts from
   * the moment when it handed the message over, and not from its arrival here.
   */
  Duration claimMargin() {
    Duration tenth = get(CLAIM_PERIOD).dividedBy(10);
    return tenth.compareTo(LONGEST_MARGIN) < 0 ? tenth : LONGEST_MARGIN;
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "EventStore at " + nodes();
  }

  private String nodes() {
    return whole.map(ConnectionString::addresses).orElseGet(() -> get(ADDRESSES));
  }

  boolean tls() {
    return whole.map(ConnectionString::tls).orElseGet(() -> get(TLS));
  }

  /** Empty for the JVM's authorities. */
  Optional<String> caFile() {
    return whole.isPresent()
        ? whole.get().caFile()
        : Optional.of(get(TLS_CA_FILE)).filter(file -> !file.equals("system"));
  }

  /**
   * Who connects.
   *
   * @throws IllegalArgumentException if they are not where they should be
   */
  Optional<Credentials> credentials() {
    return whole.isPresent()
        ? whole.get().user()
        : Credentials.read(get(CREDENTIALS), System::getenv);
  }

  List<InetSocketAddress> addresses() {
    return Arrays.stream(nodes().split(",")).map(EventStoreSettings::address).toList();
  }

  private static InetSocketAddress address(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    return new InetSocketAddress(
        hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
  }

  private Traits makeTraits() {
    int copies = get(COPIES);
    boolean inOrder = get(APPENDS_IN_FLIGHT) == 1;
    return Traits.mode(
            "appends.in.flight=%d,consumer.strategy=%s"
                .formatted(get(APPENDS_IN_FLIGHT), text(get(CONSUMER_STRATEGY))))
        .durable(true)
        .copies(copies)
        .replicationAwaited(copies >= 2)
        .claimPeriod(get(CLAIM_PERIOD))
        .redeliveryBound(messageTimeout().plus(EXPIRY_TIME))
        // The server handles requests that are under way together in any order.
        .ordering(inOrder ? Ordering.PER_SENDER : Ordering.NONE)
        .ackMode(AckMode.SELECTIVE)
        .largestBodyBytes(get(MAX_APPEND_BYTES) - EVENT_OVERHEAD_BYTES)
        .mostInFlight(get(PREFETCH))
        .callBound(callBound())
        .notChecked(Set.of("$maxAge", "$maxCount", "$tb")) // of the stream's metadata
        .build();
  }
}
