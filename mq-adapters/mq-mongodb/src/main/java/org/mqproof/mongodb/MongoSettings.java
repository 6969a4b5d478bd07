package org.mqproof.mongodb;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCredential;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.connection.ClusterConnectionMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.mqproof.PowerCut;
import org.mqproof.Traits;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.ClaimingSettings;
import org.mqproof.support.Tls;

/** The settings, what they promise, and what they mean to MongoDB. Immutable. */
final class MongoSettings extends ClaimingSettings {

  /** How many nodes a write waits for. */
  enum Concern {
    MAJORITY,
    W1
  }

  /** How a user is known. */
  enum Auth {
    PASSWORD,
    CERTIFICATE
  }

  /** How a receiver claims. */
  enum Claim {
    BATCH,
    ONE
  }

  /** Room for the other fields of a message in a document of at most 16 MiB. */
  private static final int LARGEST_BODY_BYTES = (16 << 20) - 1024;

  static final Setting<String> ADDRESSES =
      Setting.pattern(
          "addresses",
          "localhost:27017",
          Pattern.compile("[^\\s,:]+:\\d{1,5}(,[^\\s,:]+:\\d{1,5})*"),
          "host:port, separated by commas",
          "Nodes of the replica set; one that answers names the others.");
  static final Setting<String> USERNAME =
      Setting.pattern(
          "username", "", Pattern.compile(".*"), "any text; empty for nobody", "Who connects.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "", "The password of that user.");
  static final Setting<String> AUTH_SOURCE =
      Setting.text(
          "auth.source", "admin", "any text but a blank one", "The database that knows the user.");
  static final Setting<Auth> AUTH =
      Setting.oneOf(
          "auth",
          Auth.PASSWORD,
          "How the user is known: by username and password (SCRAM), if a username is given, or by"
              + " tls.cert.file (X.509).");
  static final Setting<String> DATABASE =
      Setting.pattern(
          "database",
          "mqproof",
          Pattern.compile("[a-zA-Z0-9_-]{1,20}"),
          "1 to 20 letters, digits, dashes or underscores",
          "The database with the queues.");
  static final Setting<Concern> WRITE_CONCERN =
      Setting.oneOf(
          "write.concern",
          Concern.MAJORITY,
          "What a confirm, a claim and an ack wait for: majority, the journals of most nodes; w1,"
              + " that of the primary alone, whose loss may then take confirmed messages along.");
  static final Setting<Claim> CLAIM =
      Setting.oneOf(
          "claim",
          Claim.BATCH,
          "batch claims as many messages as are asked for by one update; one claims them one by one"
              + " with findAndModify, as the study of 2017 did.");
  static final Setting<Duration> CLAIM_PERIOD = claimPeriod("on the primary's clock");
  static final Setting<Integer> SLOTS =
      Setting.integer(
          "slots",
          16,
          1,
          256,
          "Parts of a queue created here; receivers begin at different ones, so that they do not all"
              + " claim the same messages. With 1 the oldest message goes first.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          3,
          1,
          50,
          "Nodes of the replica set that hold data, what traits declare; a set of fewer is refused.");
  static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer(
          "max.body.bytes",
          LARGEST_BODY_BYTES,
          1,
          LARGEST_BODY_BYTES,
          "Largest body, with its headers.");
  static final Setting<Boolean> CHECK_QUEUE =
      Setting.bool(
          "check.queue",
          true,
          "Whether a queue whose collection is capped, or has an index that lets documents expire,"
              + " is refused.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofMillis(100),
          "Longest wait for a primary, and for a connection to it; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(4),
          "Longest time any call takes when MongoDB does not answer. A quarter of it is the longest"
              + " that one answer takes before the node counts as lost.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(MongoOptions.ALL);

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              ADDRESSES,
              USERNAME,
              PASSWORD,
              AUTH_SOURCE,
              AUTH,
              DATABASE,
              WRITE_CONCERN,
              CLAIM,
              CLAIM_PERIOD,
              SLOTS,
              COPIES,
              MAX_BODY_BYTES,
              CHECK_QUEUE,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** For a receiver to look for expired claims, and for a fail-over while it does. */
  private static final Duration TIME_TO_NOTICE = Duration.ofSeconds(5);

  /** How often the driver looks at each node: so it learns of a new primary soon. */
  private static final int HEARTBEAT_MILLIS = 1_000;

  private static final int MOST_CONNECTIONS = 200;

  /** Each takes 7 bytes more than its name and value: the largest document has room for so many. */
  private static final int MOST_HEADERS = 100;

  private static final int LARGEST_HEADERS_BYTES = 64 << 10;

  private final Optional<Tls> tls;
  private final Traits traits;

  MongoSettings(Settings settings) {
    super(settings, CALL_BOUND, CLAIM_PERIOD);
    tls = Tls.of("mongodb", settings);
    if (get(AUTH) == Auth.CERTIFICATE && !tls.map(Tls::hasCertificate).orElse(false)) {
      throw new IllegalArgumentException(
          "mongodb: setting auth=certificate needs tls=true and tls.cert.file");
    }
    requireAQuarter("mongodb", CONNECT_BOUND);
    traits = makeTraits();
    MongoClientSettings unused = forDriver(); // fails for what is not taken
  }

  Traits traits() {
    return traits;
  }

  Optional<Tls> tls() {
    return tls;
  }

  List<String> addresses() {
    return List.of(get(ADDRESSES).split(",", -1));
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return "MongoDB at " + get(ADDRESSES);
  }

  /**
   * With a time after which the server answers that it has not happened yet: a little before the
   * client gives up, so that the answer is still heard.
   */
  WriteConcern writeConcern() {
    WriteConcern concern =
        get(WRITE_CONCERN) == Concern.MAJORITY ? WriteConcern.MAJORITY : WriteConcern.W1;
    return concern
        .withJournal(true)
        .withWTimeout(stepBound().toMillis() * 3 / 4, TimeUnit.MILLISECONDS);
  }

  /**
   * Everything the driver is told; without the read timeout a paused node would stop us for good.
   */
  MongoClientSettings forDriver() {
    long connectMillis = get(CONNECT_BOUND).toMillis();
    int stepMillis = Math.toIntExact(stepBound().toMillis());
    List<ServerAddress> hosts = addresses().stream().map(ServerAddress::new).toList();
    MongoClientSettings.Builder builder =
        MongoClientSettings.builder()
            .applicationName("mqproof")
            .applyToConnectionPoolSettings(pool -> pool.maxSize(MOST_CONNECTIONS));
    MongoOptions.put(get(CLIENT), get(ADDRESSES), builder);
    builder
        .applyToClusterSettings(
            cluster ->
                cluster
                    .hosts(hosts)
                    .mode(ClusterConnectionMode.MULTIPLE)
                    .serverSelectionTimeout(connectMillis, TimeUnit.MILLISECONDS))
        .applyToSocketSettings(
            socket ->
                socket
                    .connectTimeout(connectMillis, TimeUnit.MILLISECONDS)
                    .readTimeout(stepMillis, TimeUnit.MILLISECONDS))
        .applyToServerSettings(
            server ->
                server
                    .heartbeatFrequency(HEARTBEAT_MILLIS, TimeUnit.MILLISECONDS)
                    .minHeartbeatFrequency(HEARTBEAT_MILLIS / 4, TimeUnit.MILLISECONDS))
        .applyToConnectionPoolSettings(
            pool -> pool.maxWaitTime(connectMillis, TimeUnit.MILLISECONDS))
        .applyToSslSettings(
            ssl ->
                tls.ifPresent(
                    own ->
                        ssl.enabled(true)
                            .invalidHostNameAllowed(!own.checksHost())
                            .context(own.context())))
        .writeConcern(writeConcern())
        .retryReads(true)
        .retryWrites(true);
    if (get(AUTH) == Auth.CERTIFICATE) {
      builder.credential(MongoCredential.createMongoX509Credential());
    } else if (!get(USERNAME).isEmpty()) {
      builder.credential(
          MongoCredential.createCredential(
              get(USERNAME), get(AUTH_SOURCE), get(PASSWORD).toCharArray()));
    }
    return builder.build();
  }

  private Traits makeTraits() {
    boolean majority = get(WRITE_CONCERN) == Concern.MAJORITY;
    int copies = get(COPIES);
    return claimingTraits(
            "write.concern=" + text(get(WRITE_CONCERN)) + ",claim=" + text(get(CLAIM)),
            TIME_TO_NOTICE)
        // With w1 another node can become primary after the restart, without the message.
        .durable(majority || copies == 1)
        .copies(copies)
        .replicationAwaited(majority && copies >= 2)
        .largestBodyBytes(get(MAX_BODY_BYTES))
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(Math.min(LARGEST_HEADERS_BYTES, get(MAX_BODY_BYTES)))
        .notChecked(get(CHECK_QUEUE) ? Set.of() : Set.of(Traits.EVERY_SETTING))
        .powerCut(majority ? PowerCut.SURVIVED : PowerCut.NOT_SHOWN)
        .build();
  }
}
