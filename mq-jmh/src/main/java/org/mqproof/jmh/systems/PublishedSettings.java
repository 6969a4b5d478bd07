package org.mqproof.jmh.systems;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.mqproof.jmh.load.SettingsText;
import org.mqproof.spi.ClientOptions;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/**
 * Settings as a report shows them: without secrets, and without the addresses of a machine.
 * Stateless, thread-safe.
 */
public final class PublishedSettings {

  private static final Pattern SECRET =
      Pattern.compile("(?i).*(password|secret|token|credential|jaas|\\.key).*");

  private static final String HIDDEN = "(not shown)";

  private PublishedSettings() {}

  /** The settings an adapter was connected with. */
  public static Map<String, String> of(MqProvider provider, Map<String, String> settings) {
    Map<String, String> published = new LinkedHashMap<>(settings);
    Set<String> endpoints = Set.copyOf(Endpoints.of(provider));
    published.replaceAll(
        (key, value) -> {
          if (provider.settings().stream().anyMatch(setting -> setting.hides(key))) {
            return HIDDEN;
          }
          if (endpoints.contains(key)) {
            return "(" + value.split(",").length + " addresses)";
          }
          return shown(key, value);
        });
    return published;
  }

  /** A benchmark's parameters: the same in each run, although the file of a secret is not. */
  public static Map<String, String> params(Map<String, String> params) {
    Map<String, String> without = new TreeMap<>(params);
    without.computeIfPresent(
        "settings",
        (name, text) -> {
          Map<String, String> settings = SettingsText.parse(name, text);
          settings.replaceAll(PublishedSettings::shown);
          return SettingsText.text(settings);
        });
    return without;
  }

  private static String shown(String key, String value) {
    boolean secretFile = key.startsWith(ClientOptions.PREFIX) && key.endsWith(Setting.FILE);
    return secretFile || SECRET.matcher(key).matches() ? HIDDEN : value;
  }
}
