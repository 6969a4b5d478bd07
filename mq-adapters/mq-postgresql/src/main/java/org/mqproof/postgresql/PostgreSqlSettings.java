package org.mqproof.postgresql;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
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

/** The settings, what they promise, and what they mean to PostgreSQL. Immutable. */
final class PostgreSqlSettings extends ClaimingSettings {

  /** What a commit waits for. */
  enum SynchronousCommit {
    REMOTE_APPLY,
    ON,
    LOCAL,
    OFF;

    /** As the server spells it. */
    String serverName() {
      return name().toLowerCase(Locale.ROOT);
    }

    boolean awaitsStandbys() {
      return this == REMOTE_APPLY || this == ON;
    }
  }

  static final Setting<String> ADDRESSES =
      Setting.pattern(
          "addresses",
          "localhost:5432",
          Pattern.compile("[^\\s,:/?]+:\\d{1,5}(,[^\\s,:/?]+:\\d{1,5})*"),
          "host:port, separated by commas",
          "Every node that is the primary, or may become it.");
  static final Setting<String> DATABASE =
      Setting.pattern(
          "database",
          "postgres",
          Pattern.compile("[a-zA-Z0-9_-]{1,63}"),
          "1 to 63 letters, digits, dashes or underscores",
          "The database with the queues.");
  static final Setting<String> SCHEMA =
      Setting.pattern(
          "schema",
          "mqproof",
          Pattern.compile("[a-z_][a-z0-9_]{0,62}"),
          "1 to 63 small letters, digits or underscores, first no digit",
          "The schema with the queues; made with the first of them if it is not there.");
  static final Setting<String> USERNAME =
      Setting.text("username", "postgres", "any text but a blank one", "Who connects.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "", "The password of that user.");
  static final Setting<SynchronousCommit> SYNCHRONOUS_COMMIT =
      Setting.oneOf(
          "synchronous.commit",
          SynchronousCommit.ON,
          "What a confirm, a claim and an ack wait for: on, the primary's disk and those of as many"
              + " standbys as the server's synchronous_standby_names asks for; remote-apply, also"
              + " until these show it to readers; local, the primary's disk alone; off, nothing.");
  static final Setting<Integer> COPIES =
      Setting.integer(
          "copies",
          3,
          1,
          50,
          "The primary and its standbys, what traits declare; with fewer standbys connected nobody"
              + " gets in.");
  static final Setting<Duration> CLAIM_PERIOD = claimPeriod("on the primary's clock");
  static final Setting<Integer> MAX_BODY_BYTES =
      Setting.integer("max.body.bytes", 16 << 20, 1, 128 << 20, "Largest body, with its headers.");
  static final Setting<Boolean> CHECK_QUEUE =
      Setting.bool("check.queue", true, "Whether a queue whose table is unlogged is refused.");
  static final Setting<Integer> CONNECTIONS =
      Setting.integer(
          "connections",
          20,
          4,
          1_000,
          "Most connections at a time; a sender uses up to 4, a receiver 2, and none while idle.");
  static final Setting<Duration> CONNECT_BOUND =
      connectBound(
          Duration.ofSeconds(1),
          "Longest wait for a connection to a primary; at most a quarter of call.bound.");
  static final Setting<Duration> CALL_BOUND =
      callBound(
          Duration.ofSeconds(8),
          "Longest time any call takes when PostgreSQL does not answer. A quarter of it is the"
              + " longest that one answer takes before the connection counts as lost.");

  static final Setting<Map<String, String>> CLIENT = Setting.client(PostgreSqlOptions.ALL);

  static final List<Setting<?>> ALL =
      Tls.with(
          List.of(
              ADDRESSES,
              DATABASE,
              SCHEMA,
              USERNAME,
              PASSWORD,
              SYNCHRONOUS_COMMIT,
              COPIES,
              CLAIM_PERIOD,
              MAX_BODY_BYTES,
              CHECK_QUEUE,
              CONNECTIONS,
              CONNECT_BOUND,
              CALL_BOUND,
              CLIENT));

  /** For a receiver to look for expired claims, and for a fail-over while it does. */
  private static final Duration TIME_TO_NOTICE = Duration.ofSeconds(5);

  private static final int MOST_HEADERS = 100;

  private static final int LARGEST_HEADERS_BYTES = 64 << 10;

  private final String endpoint;
  private final Optional<Tls> tls;
  private final Traits traits;

  PostgreSqlSettings(Settings settings) {
    this(settings, "PostgreSQL at " + settings.get(ADDRESSES));
  }

  /**
   * Settings of which those that say how to connect are not used.
   *
   * @param endpoint names the system in errors; holds no secret
   */
  PostgreSqlSettings(Settings settings, String endpoint) {
    super(settings, CALL_BOUND, CLAIM_PERIOD);
    this.endpoint = endpoint;
    tls = Tls.of("postgresql", settings);
    requireAQuarter("postgresql", CONNECT_BOUND);
    traits = makeTraits();
  }

  Traits traits() {
    return traits;
  }

  Optional<Tls> tls() {
    return tls;
  }

  /** What the server is to do in every session of ours. */
  Map<String, String> session() {
    return Map.of(
        "synchronous_commit",
        get(SYNCHRONOUS_COMMIT).serverName(),
        // A plan that reads a whole table is never right for a queue, whatever is known of its
        // size.
        "enable_seqscan",
        "off",
        "statement_timeout",
        Long.toString(stepBound().toMillis() * 3 / 4));
  }

  /** Names the system in errors; holds no secret. */
  String endpoint() {
    return endpoint;
  }

  private Traits makeTraits() {
    SynchronousCommit commit = get(SYNCHRONOUS_COMMIT);
    int copies = get(COPIES);
    return claimingTraits("synchronous.commit=" + text(commit), TIME_TO_NOTICE)
        // With local another node can be promoted after a crash of all, without the message; with
        // off the server writes its log only a moment after the confirm.
        .durable(commit.awaitsStandbys() || (commit == SynchronousCommit.LOCAL && copies == 1))
        .copies(copies)
        .replicationAwaited(commit.awaitsStandbys() && copies >= 2)
        .largestBodyBytes(get(MAX_BODY_BYTES))
        .mostHeaders(MOST_HEADERS)
        .largestHeadersBytes(Math.min(LARGEST_HEADERS_BYTES, get(MAX_BODY_BYTES)))
        .powerCut(powerCut(commit))
        .notChecked(
            get(CHECK_QUEUE) ? Set.of("fsync", "full_page_writes") : Set.of(Traits.EVERY_SETTING))
        .build();
  }

  private static PowerCut powerCut(SynchronousCommit commit) {
    return switch (commit) {
      case ON, REMOTE_APPLY -> PowerCut.SURVIVED;
      case OFF -> PowerCut.LOST;
      case LOCAL -> PowerCut.NOT_SHOWN;
    };
  }
}
