package com.example.h2;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;

import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.mqproof.Mq;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;
import org.mqproof.spi.Settings;
import org.mqproof.support.BlockingCalls;
import org.mqproof.support.Causes;
import org.mqproof.support.ClaimingMq.Bounds;

/**
 * An adapter of a third party on {@code mq-adapter-support}: queues in a database of an H2 server
 * that holds nothing else. Tested with H2 2.4. Thread-safe.
 */
public final class H2MqProvider implements MqProvider {

  private static final Pattern PATH = Pattern.compile("[^\\s;/]+:\\d+/[^\\s;]+");

  static final Setting<String> DATABASE =
      Setting.pattern(
          "database", "localhost:9092/queues", PATH, "host:port/path", "Where the queues are.");
  static final Setting<String> USERNAME =
      Setting.text("username", "sa", "any text but a blank one", "An administrator.");
  static final Setting<String> PASSWORD =
      Setting.secret("password", "", "The password of that user.");
  static final Setting<Duration> CLAIM_PERIOD =
      Setting.duration(
          "claim.period", ofSeconds(30), ofSeconds(1), ofHours(12), "How long a claim lasts.");
  static final Setting<Duration> CALL_BOUND =
      Setting.duration(
          "call.bound", ofSeconds(30), ofSeconds(4), ofHours(1), "How long a call lasts at most.");

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(DATABASE, USERNAME, PASSWORD, CLAIM_PERIOD, CALL_BOUND);
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    Settings checked = Settings.of(this, settings);
    String endpoint = "H2 at " + checked.get(DATABASE);
    Duration call = checked.get(CALL_BOUND);
    Bounds bounds = new Bounds(call.dividedBy(4), checked.get(CLAIM_PERIOD));
    BlockingCalls calls = new BlockingCalls("h2", endpoint, Causes::reason, call);
    try {
      return new H2Mq(endpoint, calls, bounds, H2Database.of(checked, bounds.step()));
    } catch (PoolInitializationException e) {
      throw calls.failed("connect", e);
    }
  }
}
