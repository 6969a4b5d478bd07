package org.mqproof.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.Outcome;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BoundedSettings;
import org.mqproof.support.Tls;

/** The settings, what they promise, and what they mean to RabbitMQ. Immutable. */
final class RabbitSettings extends BoundedSettings {

  /** What kind of queue is created here. */
  enum QueueType {
    QUORUM,
    CLASSIC,
    CLASSIC_MIRRORED,
    PLAIN
  }

  /** How a user is known. */
  enum Auth {
    PASSWORD,
    CERTIFICATE
  }

  /** How the broker confirms. */
  enum Confirm {
    PUBLISHER_CONFIRMS,
    TRANSACTIONS
  }

  static final Setting<String> ADDRESSES =
      Setting.pattern(
          "addresses",
          "localhost:5672",
          Pattern.compile("[^\\s,:]+:\\d{1,5}(,[^\\s,:]+:\\d{1,5})*"),
          "host:port, separated by commas",
          "Nodes of the cluster: each connection starts with one drawn at random, and goes on with"
              + " the next.");
  static final Setting<String> USERNAME =
      Setting.text("username", "guest", "any text but a blank one", "Who connects.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "guest", "The password of that user.");
  static final Setting<Auth> AUTH =
      Setting.oneOf(
          "auth",
          Auth.PASSWORD,
          "How the user is known: by username and password (PLAIN), or by tls.cert.file"
              + " (EXTERNAL).");
  static final Setting<String> VIRTUAL_HOST =
      Setting.text(
          "virtual.host", "/", "any text but a blank one", "The virtual host with the queues.");
  static final Setting<QueueType> QUEUE_TYPE =
      Setting.oneOf(
          "queue.type",
          QueueType.QUORUM,
          "quorum replicates by Raft; classic keeps one copy, which is out of reach while its node"
              + " is down; classic-mirrored names a queue 'mirrored.' and its name, and relies on"
              + " a policy of the cluster (ha-mode all) that mirrors such names; plain is durable"
              + " and asks for nothing else, for servers that know no arguments of RabbitMQ's.");
  static final Setting<String> QUEUE_VERSION =
      Setting.pattern(
          "queue.version",
          "2",
          Pattern.compile("[12]"),
          "1 or 2",
          "RabbitMQ's x-queue-version: how a classic queue created here is stored.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          3,
          1,
          100,
          "Nodes that hold a message: the x-quorum-initial-group-size of a quorum queue created"
              + " here, and what the policy for classic-mirrored ones gives.");
  static final Setting<Confirm> CONFIRM =
      Setting.oneOf(
          "confirm",
          Confirm.PUBLISHER_CONFIRMS,
          "publisher-confirms confirms each message, with many under way; transactions commits each"
              + " batch, one after the other.");
  static final Setting<Integer> CONFIRM_WINDOW =
      Setting.integer(
          "confirm.window",
          3_000,
          1,
          1 << 20,
          "Most messages of one sender that wait for their confirm; a larger batch is sent in parts"
              + " (publisher-confirms only).");
  static final Setting<Integer> PREFETCH =
      Setting.integer(
          "prefetch",
          1_000,
          1,
          65_535,
          "Most unacked messages that the broker hands to one receiver, before they are asked for"
              + " or after; they are claimed from then on, so a large number takes work away from"
              + " other receivers, and a small one costs a round trip each.");
  static final Setting<Integer> ACK_BATCH =
      Setting.integer(
          "ack.batch",
          256,
          1,
          65_535,
          "Most acks that are gathered while the broker's answer to earlier ones is awaited.");
  static final Setting<Integer> SENDING_CONNECTIONS =
      Setting.integer(
          "sending.connections",
          1,
          1,
          64,
          "Connections that the senders of one Mq share, in turns: the broker handles what one"
              + " connection brings in one thread.");
  static final Setting<Duration> CONSUMER_TIMEOUT =
      Setting.duration(
          "consumer.timeout",
          Duration.ZERO,
          Duration.ZERO,
          Duration.ofDays(24),
          "x-consumer-timeout of queues created here (RabbitMQ 3.12 or newer): the broker ends a"
              + " receiver that leaves a message unacked for longer; 0s leaves that to the broker,"
              + " which has 30 minutes by default.");
  static final Setting<Boolean> CHECK_QUEUE =
      Setting.bool(
          "check.queue",
          true,
          "Whether a queue whose own arguments would lose messages is refused; policies are not"
              + " seen.");
  static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer(
          "max.body.bytes",
          16 << 20,
          1,
          128 << 20,
          "Largest body and headers together; the broker's own max_message_size, 16 MiB in RabbitMQ 4, must admit it.");
  static final Setting<Duration> HEARTBEAT =
      Setting.duration(
          "heartbeat",
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofMinutes(10),
          "Interval of heartbeats, in whole seconds: a side that is silent for twice as long is"
              + " taken for dead; at most a quarter of call.bound.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofMillis(100),
          "Longest time in which one of the nodes must answer whenever a connection is needed; at"
              + " most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(4), "Longest time any call takes when the broker does not answer.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(RabbitOptions.ALL);

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              ADDRESSES,
              USERNAME,
              PASSWORD,
              AUTH,
              VIRTUAL_HOST,
              QUEUE_TYPE,
              QUEUE_VERSION,
              COPIES,
              CONFIRM,
              CONFIRM_WINDOW,
              PREFETCH,
              ACK_BATCH,
              SENDING_CONNECTIONS,
              CONSUMER_TIMEOUT,
              CHECK_QUEUE,
              MAX_BODY_BYTES,
              HEARTBEAT,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** Time for the broker to requeue what a dead receiver held, beyond its heartbeats. */
  private static final Duration REQUEUE_TIME = Duration.ofSeconds(10);

  /** From this major version on quorum queues drop a message after 20 deliveries, if not told. */
  private static final int FIRST_WITH_DELIVERY_LIMIT = 4;

  private final Optional<Tls> tls;

  RabbitSettings(Settings settings) {
    super(settings, CALL_BOUND);
    tls = Tls.of("rabbitmq", settings);
    if (get(AUTH) == Auth.CERTIFICATE && !tls.map(Tls::hasCertificate).orElse(false)) {
      throw new IllegalArgumentException(
          "rabbitmq: setting auth=certificate needs tls=true and tls.cert.file");
    }
    requireAQuarter("rabbitmq", HEARTBEAT);
    requireAQuarter("rabbitmq", CONNECT_BOUND);
    RabbitOptions.put(get(CLIENT), new ConnectionFactory()); // fails for what is not taken
  }

  boolean quorum() {
    return get(QUEUE_TYPE) == QueueType.QUORUM;
  }

  /** Whether RabbitMQ has several ways to store such a queue. */
  private boolean versioned() {
    return !quorum() && get(QUEUE_TYPE) != QueueType.PLAIN;
  }

  boolean transactions() {
    return get(CONFIRM) == Confirm.TRANSACTIONS;
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "RabbitMQ at " + get(ADDRESSES);
  }

  Optional<Tls> tls() {
    return tls;
  }

  List<Address> addresses() {
    return Arrays.stream(get(ADDRESSES).split(",")).map(Address::parseAddress).toList();
  }

  /** The name that a queue has at the broker. */
  String physicalName(String queue) {
    return get(QUEUE_TYPE) == QueueType.CLASSIC_MIRRORED ? "mirrored." + queue : queue;
  }

  /**
   * What a nack says of a message. A quorum queue nacks what it never took. A classic queue nacks
   * also what its process had taken when that died with its node: it may be on disk there, and be
   * delivered after the restart.
   */
  Outcome meaningOfNack() {
    return quorum() ? Outcome.REJECTED : Outcome.UNKNOWN;
  }

  /** How a queue is declared. */
  Map<String, Object> queueArguments(int brokerMajorVersion) {
    Map<String, Object> arguments = new HashMap<>();
    if (quorum()) {
      arguments.put("x-queue-type", "quorum");
      arguments.put("x-quorum-initial-group-size", get(COPIES));
      if (brokerMajorVersion >= FIRST_WITH_DELIVERY_LIMIT) {
        // No limit: a message that is dropped after so many deliveries is lost. Older brokers have
        // none by default and refuse this value.
        arguments.put("x-delivery-limit", -1);
      }
    } else if (versioned()) {
      arguments.put("x-queue-type", "classic");
      arguments.put("x-queue-version", Integer.parseInt(get(QUEUE_VERSION)));
    }
    if (!get(CONSUMER_TIMEOUT).isZero()) {
      arguments.put("x-consumer-timeout", get(CONSUMER_TIMEOUT).toMillis());
    }
    return arguments;
  }

  /**
   * What is promised over one connection.
   *
   * @param frameMax largest frame the broker takes, 0 for any: headers are in one
   */
  Traits traits(int frameMax) {
    boolean replicated = quorum() || get(QUEUE_TYPE) == QueueType.CLASSIC_MIRRORED;
    int copies = replicated ? get(COPIES) : 1; // a plain queue may have more, which nobody says
    // RabbitMQ 3.10 commits while a quorum queue has no leader, and drops what was committed.
    boolean awaited = copies >= 2 && !(quorum() && transactions());
    String mode = "queue.type=" + text(get(QUEUE_TYPE)) + ",confirm=" + text(get(CONFIRM));
    return Traits.mode(versioned() ? mode + ",queue.version=" + get(QUEUE_VERSION) : mode)
        .durable(true)
        .copies(copies)
        // A quorum queue confirms when most of its nodes have the message, a mirrored one when all
        // mirrors do.
        .replicationAwaited(awaited)
        .redeliveryBound(get(HEARTBEAT).multipliedBy(2).plus(REQUEUE_TIME))
        .ordering(Ordering.PER_SENDER)
        .ackMode(AckMode.SELECTIVE)
        .largestBodyBytes(get(MAX_BODY_BYTES))
        .mostInFlight(get(PREFETCH))
        .callBound(callBound())
        .release(Release.SAME_RECEIVER)
        .mostHeaders(Headers.most(frameMax))
        .largestHeadersBytes(Math.min(Headers.largestBytes(frameMax), get(MAX_BODY_BYTES)))
        .powerCut(powerCut())
        .notChecked(
            get(CHECK_QUEUE)
                ? Set.of("policies", "members of a queue")
                : Set.of(Traits.EVERY_SETTING))
        .build();
  }

  private PowerCut powerCut() {
    if (transactions()) {
      return PowerCut.NOT_SHOWN;
    }
    return switch (get(QUEUE_TYPE)) {
      case QUORUM -> PowerCut.SURVIVED;
      case CLASSIC -> get(QUEUE_VERSION).equals("2") ? PowerCut.LOST : PowerCut.NOT_SHOWN;
      default -> PowerCut.NOT_SHOWN;
    };
  }
}
