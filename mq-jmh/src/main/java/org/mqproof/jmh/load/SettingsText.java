package org.mqproof.jmh.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Settings written as {@code key=value;key=value}. Stateless, thread-safe. */
public final class SettingsText {

  /** Parameters of the benchmarks that hold settings. */
  public static final Set<String> PARAMETERS = Set.of("settings", "mode");

  private SettingsText() {}

  /**
   * The values that {@code -p name=text} lists, with commas between them. A value of settings may
   * hold commas itself, as a list of addresses does: it ends where a setting follows, or nothing.
   *
   * @param name of the parameter
   * @param text what is after the equals sign
   * @return at least one
   */
  public static List<String> values(String name, String text) {
    List<String> values = new ArrayList<>();
    for (String piece : text.split(",", -1)) {
      boolean begins = piece.isBlank() || piece.split(";", 2)[0].contains("=");
      if (values.isEmpty() || begins || !PARAMETERS.contains(name)) {
        values.add(piece);
      } else {
        int last = values.size() - 1;
        values.set(last, values.get(last) + "," + piece);
      }
    }
    return values;
  }

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
