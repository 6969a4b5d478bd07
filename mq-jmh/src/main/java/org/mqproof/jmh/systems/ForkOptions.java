package org.mqproof.jmh.systems;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.spi.Setting;

/**
 * What the process that runs JMH tells its forks, by system properties. Immutable.
 *
 * @param directory where trials write their files
 * @param drainBound longest time to empty the queue at the end of a trial
 * @param idle time without a message after which the queue counts as empty
 * @param warmUp longest time to load a cluster that was just started, before the first fork
 * @param connect what to connect with, by system: what its cluster or the command line gave
 */
public record ForkOptions(
    Path directory,
    Duration drainBound,
    Duration idle,
    Duration warmUp,
    Map<String, Map<String, String>> connect) {

  static final String RESULTS = "mqproof.results";
  static final String DRAIN_SECONDS = "mqproof.drainSeconds";
  static final String IDLE_SECONDS = "mqproof.idleSeconds";
  static final String WARM_UP_SECONDS = "mqproof.warmUpSeconds";
  private static final String CONNECT = "mqproof.connect.";
  private static final int MOST_SECONDS = 86_400;

  /**
   * Reads what the command line or {@link #jvmArgs} said.
   *
   * @param properties the JVM's
   * @param directory where results go if no property says so
   * @throws IllegalArgumentException if a property is malformed
   */
  public static ForkOptions of(Properties properties, Path directory) {
    Map<String, Map<String, String>> connect = new LinkedHashMap<>();
    for (String name : properties.stringPropertyNames()) {
      int dot = name.startsWith(CONNECT) ? name.indexOf('.', CONNECT.length()) : -1;
      if (dot > 0) {
        connect
            .computeIfAbsent(name.substring(CONNECT.length(), dot), s -> new LinkedHashMap<>())
            .put(name.substring(dot + 1), properties.getProperty(name));
      }
    }
    // JMH gives its forks this JVM's own options too: what was hidden counts, not what it came
    // from.
    connect.values().forEach(s -> s.keySet().removeIf(key -> s.containsKey(key + Setting.FILE)));
    return new ForkOptions(
        Path.of(properties.getProperty(RESULTS, directory.toString())).toAbsolutePath(),
        seconds(properties, DRAIN_SECONDS, 1, 120),
        seconds(properties, IDLE_SECONDS, 1, 10),
        seconds(properties, WARM_UP_SECONDS, 0, 45),
        connect);
  }

  ForkOptions with(String system, Map<String, String> settings) {
    Map<String, Map<String, String>> more = new LinkedHashMap<>(connect);
    more.put(system, settings);
    return new ForkOptions(directory, drainBound, idle, warmUp, more);
  }

  /** The same without passwords: they would be seen in a fork's command line. */
  public ForkOptions hidden(Secrets secrets) {
    Map<String, Map<String, String>> hidden = new LinkedHashMap<>();
    connect.forEach((system, settings) -> hidden.put(system, secrets.hidden(settings)));
    return new ForkOptions(directory, drainBound, idle, warmUp, hidden);
  }

  /** Options for a JVM whose {@link #of} gives the same. */
  public List<String> jvmArgs() {
    List<String> args = new ArrayList<>();
    args.add("-D" + RESULTS + "=" + directory);
    args.add("-D" + DRAIN_SECONDS + "=" + drainBound.toSeconds());
    args.add("-D" + IDLE_SECONDS + "=" + idle.toSeconds());
    args.add("-D" + WARM_UP_SECONDS + "=" + warmUp.toSeconds());
    connect.forEach(
        (system, settings) ->
            settings.forEach(
                (key, value) -> args.add("-D" + CONNECT + system + "." + key + "=" + value)));
    return args;
  }

  /** Makes {@link #of} give the same in this JVM. */
  public void publish() {
    for (String arg : jvmArgs()) {
      int equals = arg.indexOf('=');
      System.setProperty(arg.substring("-D".length(), equals), arg.substring(equals + 1));
    }
  }

  /** What to connect with: the benchmark's own parameters win. */
  public Map<String, String> settings(TrialParams params) {
    Map<String, String> settings =
        new LinkedHashMap<>(connect.getOrDefault(params.system(), Map.of()));
    settings.putAll(params.settings());
    return settings;
  }

  private static Duration seconds(Properties properties, String name, int least, int otherwise) {
    String text = properties.getProperty(name, Integer.toString(otherwise));
    try {
      int seconds = Integer.parseInt(text);
      if (seconds >= least && seconds <= MOST_SECONDS) {
        return Duration.ofSeconds(seconds);
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(wrong(name, text, least, otherwise), e);
    }
    throw new IllegalArgumentException(wrong(name, text, least, otherwise));
  }

  private static String wrong(String name, String text, int least, int otherwise) {
    return "-D%s cannot be '%s': it takes a number of seconds from %d to %d (default %d)"
        .formatted(name, text, least, MOST_SECONDS, otherwise);
  }
}
