package org.mqproof.jmh.load;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Settings written as {@code key=value;key=value}. Stateless, thread-safe. */
public final class SettingsText {

  private SettingsText() {}

  /**
   * Reads settings.
   *
   * @param name what the text belongs to, for the error
   * @param text may be empty; spaces around keys and values are left out
   * @return in the order of the text
   * @throws IllegalArgumentException if a part has no key or no {@code =}, or a key comes twice
   */
  public static Map<String, String> parse(String name, String text) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String part : text.split(";", -1)) {
      if (part.isBlank()) {
        continue;
      }
      int equals = part.indexOf('=');
      String key = equals < 0 ? "" : part.substring(0, equals).strip();
      if (key.isEmpty()) {
        throw new IllegalArgumentException(
            "%s has a part that is no key=value: it takes key=value;key=value".formatted(name));
      }
      if (settings.put(key, part.substring(equals + 1).strip()) != null) {
        throw new IllegalArgumentException("%s has the key %s twice".formatted(name, key));
      }
    }
    return settings;
  }

  /** Writes settings as {@link #parse} reads them. */
  public static String text(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(";"));
  }
}
