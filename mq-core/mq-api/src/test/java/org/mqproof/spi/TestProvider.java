package org.mqproof.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.mqproof.Mq;

/** Registered for these tests only; has a setting of each kind and connects to nothing. */
public final class TestProvider implements MqProvider {

  enum Acks {
    ALL,
    LEADER_ONLY
  }

  static final Setting<String> HOST =
      Setting.text("host", "localhost", "a host name", "Where the system is.");
  static final Setting<String> NAME =
      Setting.pattern("name", "q", Pattern.compile("[a-z]+"), "lower-case letters", "A name.");
  static final Setting<Integer> PARTITIONS =
      Setting.integer("partitions", 8, 1, 100, "How many partitions.");
  static final Setting<Duration> INTERVAL =
      Setting.duration(
          "interval",
          Duration.ofSeconds(10),
          Duration.ZERO,
          Duration.ofMinutes(5),
          "How often to commit.");
  static final Setting<Acks> ACKS = Setting.oneOf("acks", Acks.ALL, "Who must have it.");
  static final Setting<Boolean> SYNC = Setting.bool("sync", true, "Whether to wait.");
  static final Setting<String> PASSWORD = Setting.secret("password", "", "Of nobody.");
  static final Setting<Map<String, String>> CLIENT =
      Setting.client(
          ClientOptions.of("the test's client")
              .shown("buffer", "acks")
              .secret("jaas", "ca.file", "ssl.*")
              .refused("a confirm rests on it", "acks")
              .refused("acks rest on it", "group.*"));

  @Override
  public String name() {
    return "test";
  }

  @Override
  public List<Setting<?>> settings() {
    return List.of(HOST, NAME, PARTITIONS, INTERVAL, ACKS, SYNC, PASSWORD, CLIENT);
  }

  @Override
  public Mq connect(Map<String, String> settings) {
    throw new UnsupportedOperationException("connects to nothing: " + settings);
  }
}
