package org.mqproof.sqs;

import java.net.URI;
import java.time.Duration;
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
import org.mqproof.spi.ClientOptions;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BoundedSettings;
import org.mqproof.support.Tls;

/** The settings, what they promise, and what they mean to SQS. Immutable. */
final class SqsSettings extends BoundedSettings {

  /** Which AWS SDK talks to the service. */
  enum Sdk {
    V2,
    V1
  }

  /** Whether requests are signed. */
  enum Credentials {
    CHAIN,
    ANONYMOUS
  }

  private static final String AWS = "aws";
  private static final String CHAIN = "chain";

  static final Setting<Sdk> SDK =
      Setting.oneOf(
          "sdk",
          Sdk.V2,
          "v2 is asynchronous; v1 takes a thread per request, has had no support since the end of"
              + " 2025, and needs com.amazonaws:aws-java-sdk-sqs on the class path.");
  static final Setting<String> ENDPOINT =
      Setting.pattern(
          "endpoint",
          AWS,
          Pattern.compile("aws|https?://[^\\s/@]+"),
          "aws or a URL like http://host:port",
          "aws is the service itself, at the endpoint of the region; a URL is another server that"
              + " speaks its protocol.");
  static final Setting<String> REGION =
      Setting.pattern(
          "region",
          CHAIN,
          Pattern.compile("[a-z0-9-]+"),
          "chain or the name of a region",
          "Where the queues are; chain asks the SDK's own chain of providers.");
  static final Setting<Credentials> CREDENTIALS =
      Setting.oneOf(
          "credentials",
          Credentials.CHAIN,
          "chain takes them from the SDK's own chain of providers, and they can be given nowhere"
              + " else; anonymous signs nothing, for a server that checks nothing.");
  static final Setting<BodyText> BODY =
      Setting.oneOf(
          "body",
          BodyText.BASE64,
          "How a body becomes the text that SQS takes: base64 takes any bytes; text takes UTF-8 of"
              + " the characters that XML allows, at least one, for queues that other programs use,"
              + " and refuses the rest.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          1,
          1,
          100,
          "Nodes that hold a confirmed message. SQS keeps several and does not say how many; the"
              + " default claims no more than one, which is what a single ElasticMQ has.");
  static final Setting<Duration> CLAIM_PERIOD =
      Setting.duration(
          "claim.period",
          Duration.ofSeconds(30),
          Duration.ofSeconds(1),
          Duration.ofHours(12),
          "Time until an unacked claim expires, in whole seconds: the visibility timeout of each"
              + " receive. An ack counts if it is answered within this time from the request that"
              + " brought the message.");
  static final Setting<Duration> POLL_WAIT =
      Setting.duration(
          "poll.wait",
          Duration.ofSeconds(5),
          Duration.ZERO,
          Duration.ofSeconds(20),
          "Longest wait of one long poll, in whole seconds, and at most half of claim.period: what"
              + " it waited is no longer left for the ack.");
  static final Setting<Duration> POLL_PAUSE =
      Setting.duration(
          "poll.pause",
          Duration.ofMillis(50),
          Duration.ofMillis(1),
          Duration.ofSeconds(1),
          "Pause between two short polls, where less than a second of a timeout is left: SQS waits"
              + " in whole seconds.");
  static final Setting<Integer> REQUESTS =
      Setting.integer(
          "requests",
          8,
          1,
          1_000,
          "Most requests that one sender, or one receiver's acks, have under way; each carries up to"
              + " 10 messages, and what comes in between is gathered for the next one.");
  static final Setting<Integer> CONNECTIONS =
      Setting.integer(
          "connections",
          128,
          1,
          10_000,
          "Most connections to the service; each request takes one, and a receiver that waits takes"
              + " one all the time.");
  static final Setting<Integer> MAX_MESSAGE_BYTES =
      Setting.integer(
          "max.message.bytes",
          256 << 10,
          1 << 10,
          1 << 20,
          "The service's limit on a message, and on the sum of a request: 256 KiB in ElasticMQ and,"
              + " until August 2025, in SQS; 1 MiB in SQS since. In base64 body and headers"
              + " may have three quarters of it, less 60 bytes.");
  static final Setting<Boolean> CHECK_QUEUE =
      Setting.bool(
          "check.queue",
          true,
          "Whether a queue is refused that gives messages to another one after some deliveries, that"
              + " keeps them for less than 14 days, or that takes only smaller ones than"
              + " max.message.bytes; without the right to see its attributes nothing is checked.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofMillis(100),
          "Longest time in which a new connection must stand; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(1), "Longest time any call takes when the service does not answer.");

  static final Setting<Map<String, String>> CLIENT =
      Setting.client(ClientOptions.of("the AWS SDK"));

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              SDK,
              ENDPOINT,
              REGION,
              CREDENTIALS,
              BODY,
              COPIES,
              CLAIM_PERIOD,
              POLL_WAIT,
              POLL_PAUSE,
              REQUESTS,
              CONNECTIONS,
              MAX_MESSAGE_BYTES,
              CHECK_QUEUE,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** SQS refuses to hand out more than so many unacked messages of one queue. */
  private static final int MOST_IN_FLIGHT = 120_000;

  /** Beyond the claim period: what a loaded machine or a distant service may need. */
  private static final Duration REDELIVERY_TIME = Duration.ofSeconds(5);

  private final Optional<Tls> tls;
  private final Traits traits;

  SqsSettings(Settings settings) {
    super(settings, CALL_BOUND);
    tls = Tls.of("sqs", settings);
    if (tls.isPresent() && get(ENDPOINT).startsWith("http:")) {
      throw new IllegalArgumentException(
          "sqs: setting tls=true needs an endpoint that begins with https://");
    }
    if (!get(Tls.CHECK_HOST)) {
      throw new IllegalArgumentException(
          "sqs: setting tls.check.host cannot be false: the SDKs always check it");
    }
    requireWholeSeconds(CLAIM_PERIOD);
    requireWholeSeconds(POLL_WAIT);
    requireAQuarter("sqs", CONNECT_BOUND);
    // So that the largest message may have the most headers.
    int largestBytes =
        get(BODY).largestBody(get(MAX_MESSAGE_BYTES) - Headers.overhead(Headers.MOST));
    traits =
        Traits.mode("sdk=" + text(get(SDK)) + (get(BODY) == BodyText.TEXT ? ",body=text" : ""))
            .durable(true)
            .copies(get(COPIES))
            .replicationAwaited(get(COPIES) >= 2)
            .claimPeriod(get(CLAIM_PERIOD))
            // A poll of the dead may claim messages until it ends.
            .redeliveryBound(
                get(CLAIM_PERIOD).plusSeconds(longestWaitSeconds()).plus(REDELIVERY_TIME))
            .ordering(Ordering.NONE)
            .ackMode(AckMode.SELECTIVE)
            .largestBodyBytes(largestBytes)
            .release(Release.ANY_RECEIVER)
            .extendable(true)
            .mostHeaders(Headers.MOST)
            .largestHeadersBytes(Math.min(Headers.LARGEST_BYTES, largestBytes))
            .retention(Transport.LONGEST_RETENTION)
            // Only ElasticMQ was tried, and lost what it had confirmed (docs/durability.md).
            .powerCut(endpoint().isPresent() ? PowerCut.LOST : PowerCut.NOT_SHOWN)
            .mostInFlight(MOST_IN_FLIGHT)
            .callBound(get(CALL_BOUND))
            .notChecked(get(CHECK_QUEUE) ? Set.of() : Set.of(Traits.EVERY_SETTING))
            .build();
  }

  private void requireWholeSeconds(Setting<Duration> setting) {
    if (get(setting).toMillis() % 1_000 != 0) {
      throw new IllegalArgumentException(
          "sqs: setting %s cannot be %d ms: SQS counts it in whole seconds"
              .formatted(setting.key(), get(setting).toMillis()));
    }
  }

  Traits traits() {
    return traits;
  }

  /** The visibility timeout. */
  int claimSeconds() {
    return (int) get(CLAIM_PERIOD).toSeconds();
  }

  /** The longest wait of a long poll; 0 if there are only short ones. */
  int longestWaitSeconds() {
    return (int) Math.min(get(POLL_WAIT).toSeconds(), get(CLAIM_PERIOD).toSeconds() / 2);
  }

  /** Empty for the service itself. */
  Optional<URI> endpoint() {
    String endpoint = get(ENDPOINT);
    return endpoint.equals(AWS) ? Optional.empty() : Optional.of(URI.create(endpoint));
  }

  /** Empty for what the JVM trusts, and no certificate of our own. */
  Optional<Tls> tls() {
    return tls;
  }

  /** Empty for what the SDK's chain says. */
  Optional<String> region() {
    return get(REGION).equals(CHAIN) ? Optional.empty() : Optional.of(get(REGION));
  }

  boolean anonymous() {
    return get(CREDENTIALS) == Credentials.ANONYMOUS;
  }

  /** Names the system in errors. */
  String name() {
    return endpoint()
        .map(url -> "SQS at " + url)
        .orElse("SQS in region " + region().orElse("of the SDK's chain"));
  }
}
