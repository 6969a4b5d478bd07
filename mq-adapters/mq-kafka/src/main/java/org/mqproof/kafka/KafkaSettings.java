package org.mqproof.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.oauthbearer.ClientCredentialsJwtRetriever;
import org.apache.kafka.common.security.oauthbearer.ClientJwtValidator;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.mqproof.AckMode;
import org.mqproof.Ordering;
import org.mqproof.PowerCut;
import org.mqproof.Release;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BoundedSettings;
import org.mqproof.support.Tls;

/**
 * The settings, what they promise, and what they mean to Kafka's clients. Settings that Kafka has
 * under the same name mean the same. Immutable.
 */
final class KafkaSettings {

  /** How receivers compete. */
  enum Receive {
    GROUP,
    SHARE
  }

  /** When records are deleted that the group has acked. */
  enum DeleteAcked {
    ALONE,
    ALWAYS,
    NEVER
  }

  /** How a client says who it is, other than by a certificate. */
  enum Sasl {
    NONE,
    PLAIN,
    SCRAM_SHA_256,
    SCRAM_SHA_512,
    OAUTHBEARER
  }

  /** Kafka's codecs. */
  enum Compression {
    NONE,
    GZIP,
    SNAPPY,
    LZ4,
    ZSTD
  }

  private static final String ADDRESS = "([^\\s,:\\[\\]]+|\\[[0-9a-fA-F:.]+\\]):\\d{1,5}";

  static final Setting<String> BOOTSTRAP_SERVERS =
      Setting.pattern(
          "bootstrap.servers",
          "localhost:9092",
          Pattern.compile(ADDRESS + "(," + ADDRESS + ")*"),
          "host:port, separated by commas, and an IPv6 address in brackets",
          "Brokers to ask for the others.");
  static final Setting<Sasl> SASL =
      Setting.oneOf(
          "sasl",
          Sasl.NONE,
          "How username and password are given: not at all, as they are (plain: only with tls), or"
              + " as a proof of knowing them; oauthbearer gives a token instead (only with tls, and"
              + " with com.fasterxml.jackson.core:jackson-databind on the class path).");
  static final Setting<String> USERNAME =
      Setting.pattern(
          "username", "", Pattern.compile(".*"), "any text; empty for nobody", "Who connects.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "", "The password of that user.");
  static final Setting<String> TOKEN =
      Setting.secret(
          "token",
          "",
          "The JSON Web Token of who connects (sasl=oauthbearer); empty to fetch one.");
  static final Setting<String> OAUTH_TOKEN_URL =
      Setting.pattern(
          "oauth.token.url",
          "",
          Pattern.compile("|https?://\\S+"),
          "a URL, or nothing",
          "Where a token is fetched (sasl=oauthbearer) with username as the client's id and password"
              + " as its secret; Kafka's client also wants this URL in the system property"
              + " org.apache.kafka.sasl.oauthbearer.allowed.urls.");
  static final Setting<String> OAUTH_SCOPE =
      Setting.pattern(
          "oauth.scope", "", Pattern.compile(".*"), "any text", "The scope of that token.");
  static final Setting<String> ACKS =
      Setting.pattern(
          "acks",
          "all",
          Pattern.compile("all|1"),
          "all or 1",
          "Which brokers must have a message before it is confirmed: every in-sync replica"
              + " (idempotent producer), or the leader alone, whose crash then loses it.");
  static final Setting<Receive> RECEIVE =
      Setting.oneOf(
          "receive",
          Receive.GROUP,
          "How receivers compete: a consumer group gives each of them whole partitions and acks a"
              + " prefix of each, a share group gives them single messages and acks each of them.");
  static final Setting<Integer> PARTITIONS =
      Setting.integer(
          "partitions",
          8,
          1,
          10_000,
          "Partitions of a queue created here: the most receivers of a group that get work, and"
              + " in a share group best 1, for one receiver never sees the partitions of another.");
  static final Setting<Integer> REPLICATION_FACTOR =
      Setting.integer(
          "replication.factor", 3, 1, 100, "Brokers that hold a copy of a queue created here.");
  static final Setting<Integer> MIN_INSYNC_REPLICAS =
      Setting.integer(
          "min.insync.replicas",
          2,
          1,
          100,
          "Copies without which acks=all confirms nothing, for a queue created here; at most"
              + " replication.factor.");
  static final Setting<Integer> FLUSH_MESSAGES =
      Setting.integer(
          "flush.messages",
          0,
          0,
          Integer.MAX_VALUE,
          "Kafka's flush.messages of queues created here: each replica awaits its disk after so"
              + " many messages. With 1 and acks=all nothing was lost when the power of all brokers"
              + " was cut, for much of the rate (docs/durability.md); 0 leaves it to the brokers.");
  static final Setting<Boolean> CHECK_TOPIC =
      Setting.bool(
          "check.topic",
          true,
          "Whether a topic is refused that holds fewer copies than these settings say, or that drops"
              + " messages by age, size or key; without the right to see its configuration nothing"
              + " is checked.");
  static final Setting<Ordering> ORDER =
      Setting.oneOf(
          "order",
          Ordering.NONE,
          "none sends each batch to the next partition; per-sender keeps a sender on one partition,"
              + " so that one receiver gets all of its messages in order (receive=group only).");
  static final Setting<String> GROUP_ID =
      Setting.pattern(
          "group.id",
          "mqproof",
          Pattern.compile("[a-zA-Z0-9._-]{1,40}"),
          "1 to 40 letters, digits, dots, dashes or underscores",
          "Receivers with the same one compete; the group's full name adds the queue to it.");
  static final Setting<Duration> COMMIT_INTERVAL =
      Setting.duration(
          "commit.interval",
          Duration.ofMillis(10),
          Duration.ZERO,
          Duration.ofHours(1),
          "Least time from one commit of acked messages to the next: 0s commits as soon as the last"
              + " commit returned, which takes a third of the rate and more, a longer one redelivers"
              + " more after a crash (receive=group).");
  static final Setting<DeleteAcked> DELETE_ACKED =
      Setting.oneOf(
          "delete.acked",
          DeleteAcked.ALONE,
          "Whether acked records are deleted from the topic: alone, when no other group reads it;"
              + " always, also when one does; never, and then disks do not shrink, and all that was"
              + " acked comes back once the brokers forget the group, by default 7 days after its"
              + " last receiver.");
  static final Setting<Duration> DELETE_INTERVAL =
      Setting.duration(
          "delete.interval",
          Duration.ofMinutes(1),
          Duration.ofMillis(100),
          Duration.ofHours(24),
          "Time between two such deletions while a receiver is open; the last one closes with one"
              + " more.");
  static final Setting<Duration> REBALANCE_HOLD =
      Setting.duration(
          "rebalance.hold",
          Duration.ofSeconds(10),
          Duration.ZERO,
          Duration.ofHours(24),
          "Longest time that a partition which moves to another receiver waits until what was"
              + " delivered from it is acked; after it unacked messages are delivered again. So"
              + " long the whole group may get nothing from receivers that died meanwhile, and"
              + " no receiver's acks are stored: from about call.bound on they fail"
              + " (receive=group).");
  static final Setting<Integer> SESSION_TIMEOUT_MS =
      Setting.integer(
          "session.timeout.ms",
          10_000,
          1_000,
          1_800_000,
          "Silence after which the broker takes a receiver for dead; the broker's own limits are 6 s"
              + " and 30 min (receive=group).");
  static final Setting<Duration> CLAIM_PERIOD =
      Setting.duration(
          "claim.period",
          Duration.ofSeconds(30),
          Duration.ofSeconds(1),
          Duration.ofHours(1),
          "How long a message is claimed at least once it is handed out; half of Kafka's"
              + " share.record.lock.duration.ms, for which the broker's own limits are 15 s and 60 s,"
              + " so that what was fetched ahead may wait here as long (receive=share).");
  static final Setting<Integer> DELIVERY_COUNT_LIMIT =
      Setting.integer(
          "share.delivery.count.limit",
          10,
          5,
          100,
          "Deliveries after which the broker drops a message that nobody acked, which ends at least"
              + " once; what was fetched ahead and never handed out counts as one, which is why"
              + " fewer than 5 are refused; the broker's own limit is 10, and at most 25"
              + " (receive=share).");
  static final Setting<Integer> MAX_POLL_RECORDS =
      Setting.integer(
          "max.poll.records",
          5_000,
          1,
          1_000_000,
          "Most messages taken over from the client at a time; a group's receiver buffers two such"
              + " polls, and a share group's has in flight what one of them brought, never more"
              + " than 2000, and gets nothing further until all of it is acked or has expired.");
  static final Setting<Integer> FETCH_MAX_BYTES =
      Setting.integer(
          "fetch.max.bytes",
          8 << 20,
          1,
          1 << 30,
          "Most bytes fetched from one broker, and from one partition, at a time.");
  static final Setting<Integer> LINGER_MS =
      Setting.integer(
          "linger.ms",
          0,
          0,
          10_000,
          "Time to wait for more messages before a request is sent; Kafka's own default of 5 makes a"
              + " single sending thread some 30 times slower.");
  static final Setting<Integer> BATCH_SIZE =
      Setting.integer(
          "batch.size", 256 << 10, 0, 1 << 20, "Most bytes of messages in one record batch.");
  static final Setting<Integer> MAX_IN_FLIGHT =
      Setting.integer(
          "max.in.flight.requests.per.connection",
          1,
          1,
          5,
          "Requests under way to one broker: with 1, what many threads send meanwhile gathers in one"
              + " larger request; more help where the round trip is long and few threads send.");
  static final Setting<Compression> COMPRESSION_TYPE =
      Setting.oneOf("compression.type", Compression.NONE, "Codec for record batches.");
  static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer(
          "max.body.bytes",
          1 << 20,
          1,
          64 << 20,
          "Largest body and headers together; a queue created here has a max.message.bytes that admits it.");
  static final Setting<Duration> CONNECT_BOUND =
      BoundedSettings.connectBound(
          Duration.ofMillis(100),
          "Longest time in which the first broker must answer when connecting.");
  static final Setting<Duration> CALL_BOUND =
      BoundedSettings.callBound(
          Duration.ofSeconds(3),
          "Longest time any call takes when the brokers do not answer; Kafka's own time-outs are"
              + " derived from it.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(KafkaOptions.ALL);

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              BOOTSTRAP_SERVERS,
              SASL,
              USERNAME,
              PASSWORD,
              TOKEN,
              OAUTH_TOKEN_URL,
              OAUTH_SCOPE,
              ACKS,
              RECEIVE,
              PARTITIONS,
              REPLICATION_FACTOR,
              MIN_INSYNC_REPLICAS,
              FLUSH_MESSAGES,
              CHECK_TOPIC,
              ORDER,
              GROUP_ID,
              COMMIT_INTERVAL,
              DELETE_ACKED,
              DELETE_INTERVAL,
              REBALANCE_HOLD,
              SESSION_TIMEOUT_MS,
              CLAIM_PERIOD,
              DELIVERY_COUNT_LIMIT,
              MAX_POLL_RECORDS,
              FETCH_MAX_BYTES,
              LINGER_MS,
              BATCH_SIZE,
              MAX_IN_FLIGHT,
              COMPRESSION_TYPE,
              MAX_BODY_BYTES,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** The broker's group.share.partition.max.record.locks: it hands out no more than that. */
  private static final int MOST_SHARE_LOCKS = 2_000;

  /** A share group's session time-out, which its members cannot choose: 45 s, and a heartbeat. */
  private static final Duration SHARE_SESSION = Duration.ofSeconds(50);

  /** Room for the rebalance after the session time-out has found the dead receiver. */
  private static final Duration REBALANCE_TIME = Duration.ofSeconds(10);

  /**
   * Bytes a record batch with a single record needs beyond body and headers, at most: 61 for the
   * batch, 21 for the record's lengths, offset and time, and {@link TextHeaders#MOST} times 5. The
   * rest is a margin for codecs, which can grow what cannot be compressed.
   */
  private static final int BATCH_OVERHEAD_BYTES = 1_024;

  /** Kafka's client reads tokens by it, and does not bring it. */
  private static final String JSON = "com.fasterxml.jackson.databind.ObjectMapper";

  private static final Duration HEARTBEAT = Duration.ofMillis(300);
  private static final Duration FETCH_MAX_WAIT = Duration.ofMillis(500);
  private static final Duration SHARE_FETCH_MAX_WAIT = Duration.ofMillis(100);

  private final Settings settings;

  /** Kafka's clients share what they logged in with where their JAAS configuration is the same. */
  private final String identity = UUID.randomUUID().toString();

  private final Optional<Tls> tls;
  private final Traits traits;

  KafkaSettings(Settings settings) {
    this.settings = settings;
    tls = Tls.of("kafka", settings);
    boolean named = !get(USERNAME).isEmpty();
    if (get(SASL) == Sasl.OAUTHBEARER) {
      requireToken();
    } else if (!get(TOKEN).isEmpty() || !get(OAUTH_TOKEN_URL).isEmpty()) {
      throw new IllegalArgumentException(
          "kafka: settings token and oauth.token.url are of no use without sasl=oauthbearer");
    } else if (named == (get(SASL) == Sasl.NONE)) {
      throw new IllegalArgumentException(
          "kafka: settings sasl and username go together: sasl=plain, scram-sha-256 or"
              + " scram-sha-512 gives the name and the password to the broker");
    }
    if (get(SASL) == Sasl.PLAIN && tls.isEmpty()) {
      throw new IllegalArgumentException(
          "kafka: setting sasl=plain needs tls=true: it would send the password for all to read");
    }
    if (get(MIN_INSYNC_REPLICAS) > get(REPLICATION_FACTOR)) {
      throw new IllegalArgumentException(
          "kafka: setting min.insync.replicas cannot be %d: it takes at most replication.factor, %d"
              .formatted(get(MIN_INSYNC_REPLICAS), get(REPLICATION_FACTOR)));
    }
    if (get(SESSION_TIMEOUT_MS) < 3 * HEARTBEAT.toMillis()) {
      throw new IllegalArgumentException("kafka: setting session.timeout.ms is too short");
    }
    KafkaOptions.check(get(CLIENT));
    traits = makeTraits();
  }

  private void requireToken() {
    if (tls.isEmpty()) {
      throw new IllegalArgumentException(
          "kafka: setting sasl=oauthbearer needs tls=true: it would send the token for all to read");
    }
    boolean fetched = !get(OAUTH_TOKEN_URL).isEmpty();
    if (fetched == !get(TOKEN).isEmpty() || fetched == get(USERNAME).isEmpty()) {
      throw new IllegalArgumentException(
          "kafka: setting sasl=oauthbearer needs either token or all of oauth.token.url, username"
              + " and password");
    }
    try {
      Class<?> unused = Class.forName(JSON);
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          "kafka: setting sasl=oauthbearer needs com.fasterxml.jackson.core:jackson-databind on the"
              + " class path",
          e);
    }
  }

  <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  Traits traits() {
    return traits;
  }

  boolean share() {
    return get(RECEIVE) == Receive.SHARE;
  }

  Duration callBound() {
    return get(CALL_BOUND);
  }

  /** A third of the bound: every call is made of at most three waits for a broker. */
  Duration stepBound() {
    return callBound().dividedBy(3);
  }

  /** Names the system in errors. */
  String endpoint() {
    return "Kafka at " + get(BOOTSTRAP_SERVERS);
  }

  int largestPoll() {
    return share() ? Math.min(get(MAX_POLL_RECORDS), MOST_SHARE_LOCKS) : get(MAX_POLL_RECORDS);
  }

  private Traits makeTraits() {
    boolean all = get(ACKS).equals("all");
    int copies = get(REPLICATION_FACTOR);
    Traits.Builder builder =
        Traits.mode("acks=" + get(ACKS) + ",receive=" + lower(get(RECEIVE)))
            // With acks=1 another broker can become leader after the restart, without the message.
            .durable(all || copies == 1)
            .copies(copies)
            .replicationAwaited(all && get(MIN_INSYNC_REPLICAS) >= 2)
            .largestBodyBytes(get(MAX_BODY_BYTES))
            .mostHeaders(TextHeaders.MOST)
            .largestHeadersBytes(Math.min(TextHeaders.LARGEST_BYTES, get(MAX_BODY_BYTES)))
            .powerCut(powerCut())
            .callBound(callBound())
            .notChecked(get(CHECK_TOPIC) ? Set.of() : Set.of(Traits.EVERY_SETTING));
    if (share()) {
      return builder
          .ackMode(AckMode.SELECTIVE)
          .release(Release.ANY_RECEIVER)
          .claimPeriod(get(CLAIM_PERIOD))
          .mostInFlight(largestPoll())
          // The lock ends by itself, but a partition may belong to the dead receiver until then.
          .redeliveryBound(max(lockDuration(), SHARE_SESSION).plus(REBALANCE_TIME))
          .build();
    }
    return builder
        .ackMode(AckMode.WHOLE_PREFIX)
        .release(Release.SAME_RECEIVER)
        .ordering(get(ORDER))
        // No partition changes hands before every receiver has given up those that it shall give.
        .redeliveryBound(
            Duration.ofMillis(get(SESSION_TIMEOUT_MS))
                .plus(get(REBALANCE_HOLD))
                .plus(REBALANCE_TIME))
        .build();
  }

  /** As far as cuts of all nodes have shown (docs/durability.md). */
  private PowerCut powerCut() {
    if (!get(ACKS).equals("all")) {
      return PowerCut.NOT_SHOWN;
    }
    boolean copied = get(REPLICATION_FACTOR) >= 3 && get(MIN_INSYNC_REPLICAS) >= 2;
    return switch (get(FLUSH_MESSAGES)) {
      case 0 -> PowerCut.LOST;
      case 1 -> copied && !share() ? PowerCut.SURVIVED : PowerCut.NOT_SHOWN;
      default -> PowerCut.NOT_SHOWN;
    };
  }

  /** From the moment when the broker hands a message over until it hands it to another receiver. */
  Duration lockDuration() {
    return get(CLAIM_PERIOD).multipliedBy(2);
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  Map<String, String> topicConfig() {
    Map<String, String> config = new HashMap<>();
    config.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, get(MIN_INSYNC_REPLICAS).toString());
    config.put(
        TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
        Integer.toString(Math.max(get(MAX_BODY_BYTES), get(BATCH_SIZE)) + BATCH_OVERHEAD_BYTES));
    // Whoever retains by time or size loses messages that nobody received yet.
    config.put(TopicConfig.RETENTION_MS_CONFIG, "-1");
    config.put(TopicConfig.RETENTION_BYTES_CONFIG, "-1");
    if (get(FLUSH_MESSAGES) > 0) {
      config.put(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, get(FLUSH_MESSAGES).toString());
    }
    return config;
  }

  List<String> addresses() {
    return List.of(get(BOOTSTRAP_SERVERS).split(",", -1));
  }

  Optional<Tls> tls() {
    return tls;
  }

  private void putSecurity(Map<String, Object> config) {
    boolean sasl = get(SASL) != Sasl.NONE;
    SecurityProtocol protocol =
        sasl
            ? tls.isPresent() ? SecurityProtocol.SASL_SSL : SecurityProtocol.SASL_PLAINTEXT
            : tls.isPresent() ? SecurityProtocol.SSL : SecurityProtocol.PLAINTEXT;
    config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol.name);
    if (sasl) {
      config.put(SaslConfigs.SASL_MECHANISM, get(SASL).name().replace('_', '-'));
      config.put(
          SaslConfigs.SASL_JAAS_CONFIG,
          "%s required mq=\"%s\";".formatted(loginModule().getName(), identity));
      if (get(SASL) == Sasl.OAUTHBEARER) {
        putToken(config);
      } else {
        config.put(SaslConfigs.SASL_CLIENT_CALLBACK_HANDLER_CLASS, ReadAgain.class);
        ReadAgain.put(config, get(USERNAME), () -> get(PASSWORD));
      }
    }
    tls.ifPresent(
        own -> {
          if (!own.checksHost()) {
            config.put(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG, "");
          }
          own.authoritiesPem()
              .ifPresent(
                  pem -> {
                    config.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
                    config.put(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, pem);
                  });
          if (own.hasCertificate()) {
            config.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, "PEM");
            config.put(
                SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG,
                own.certificatePem().orElseThrow());
            config.put(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, own.keyPem().orElseThrow());
          }
        });
  }

  private Class<?> loginModule() {
    return switch (get(SASL)) {
      case PLAIN -> PlainLoginModule.class;
      case OAUTHBEARER -> OAuthBearerLoginModule.class;
      default -> ScramLoginModule.class;
    };
  }

  private void putToken(Map<String, Object> config) {
    config.put(
        SaslConfigs.SASL_LOGIN_CALLBACK_HANDLER_CLASS, OAuthBearerLoginCallbackHandler.class);
    // The default is also the brokers', and needs a library that only these have.
    config.put(SaslConfigs.SASL_OAUTHBEARER_JWT_VALIDATOR_CLASS, ClientJwtValidator.class);
    int boundMillis = millis(get(CONNECT_BOUND));
    config.put(SaslConfigs.SASL_LOGIN_CONNECT_TIMEOUT_MS, boundMillis);
    config.put(SaslConfigs.SASL_LOGIN_READ_TIMEOUT_MS, boundMillis);
    config.put(SaslConfigs.SASL_LOGIN_RETRY_BACKOFF_MAX_MS, (long) boundMillis);
    if (get(OAUTH_TOKEN_URL).isEmpty()) {
      config.put(SaslConfigs.SASL_OAUTHBEARER_JWT_RETRIEVER_CLASS, ReadAgain.class);
      ReadAgain.put(config, "", () -> get(TOKEN));
      return;
    }
    config.put(
        SaslConfigs.SASL_OAUTHBEARER_JWT_RETRIEVER_CLASS, ClientCredentialsJwtRetriever.class);
    config.put(SaslConfigs.SASL_OAUTHBEARER_TOKEN_ENDPOINT_URL, get(OAUTH_TOKEN_URL));
    config.put(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_ID, get(USERNAME));
    config.put(SaslConfigs.SASL_OAUTHBEARER_CLIENT_CREDENTIALS_CLIENT_SECRET, get(PASSWORD));
    if (!get(OAUTH_SCOPE).isEmpty()) {
      config.put(SaslConfigs.SASL_OAUTHBEARER_SCOPE, get(OAUTH_SCOPE));
    }
  }

  private Map<String, Object> clientConfig(Duration requestBound) {
    Map<String, Object> config = new HashMap<>();
    putSecurity(config);
    config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, get(BOOTSTRAP_SERVERS));
    config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(requestBound));
    config.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, millis(requestBound));
    config.put(
        AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, millis(requestBound));
    config.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    config.put(AdminClientConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 500);
    config.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
    return config;
  }

  Map<String, Object> adminConfig() {
    // Half of a step, so that a broker that hangs leaves time to ask another one.
    Map<String, Object> config = clientConfig(stepBound().dividedBy(2));
    config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(stepBound()));
    KafkaOptions.put(get(CLIENT), AdminClientConfig.configDef(), config);
    return config;
  }

  Map<String, Object> producerConfig() {
    boolean all = get(ACKS).equals("all");
    Duration delivery = callBound().minus(stepBound());
    Duration request = delivery.dividedBy(2).minusMillis(get(LINGER_MS));
    Map<String, Object> config = clientConfig(max(request, Duration.ofMillis(500)));
    config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    config.put(ProducerConfig.ACKS_CONFIG, get(ACKS));
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, all);
    config.put(ProducerConfig.LINGER_MS_CONFIG, get(LINGER_MS));
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, get(MAX_IN_FLIGHT));
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, get(BATCH_SIZE));
    config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, lower(get(COMPRESSION_TYPE)));
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 64L << 20);
    // Bounds a request; a body that is too large never gets as far as here.
    config.put(
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        Math.max(8 << 20, get(MAX_BODY_BYTES) + BATCH_OVERHEAD_BYTES));
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, stepBound().toMillis());
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis(delivery));
    KafkaOptions.put(get(CLIENT), ProducerConfig.configDef(), config);
    return config;
  }

  private Map<String, Object> receiverConfig(String group) {
    Map<String, Object> config = clientConfig(stepBound());
    config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    config.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(stepBound()));
    config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, largestPoll());
    config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, get(FETCH_MAX_BYTES));
    config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, get(FETCH_MAX_BYTES));
    config.put(
        ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
        millis(get(REBALANCE_HOLD).plus(callBound()).plus(Duration.ofMinutes(1))));
    KafkaOptions.put(get(CLIENT), ConsumerConfig.configDef(), config);
    return config;
  }

  Map<String, Object> consumerConfig(String group) {
    Map<String, Object> config = receiverConfig(group);
    // The classic protocol lets the client choose heartbeat and session time-out. The newer one
    // (KIP-848) leaves them to the broker, which by default moves a partition after 5 s and misses
    // a dead receiver for 45 s.
    config.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
    config.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    config.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, get(SESSION_TIMEOUT_MS));
    config.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, millis(HEARTBEAT));
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, millis(FETCH_MAX_WAIT));
    return config;
  }

  Map<String, Object> shareConsumerConfig(String group) {
    Map<String, Object> config = receiverConfig(group);
    config.put(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, "explicit");
    // Otherwise a fetch brings whole record batches, and more in flight than traits() says.
    config.put(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, "record_limit");
    // It fetches when the user receives, however rarely that is.
    config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE);
    // A fetch outlasts the receive that wanted it by this much, and then takes what nobody reads.
    config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, millis(SHARE_FETCH_MAX_WAIT));
    return config;
  }

  private static int millis(Duration duration) {
    return Math.toIntExact(Math.max(1, duration.toMillis()));
  }
}
