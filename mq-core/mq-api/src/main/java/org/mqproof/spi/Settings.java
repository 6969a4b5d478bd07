package org.mqproof.spi;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The values given to {@link MqProvider#connect}, checked. Immutable. */
public final class Settings {

  private final Map<Setting<?>, Object> values;

  private Settings(Map<Setting<?>, Object> values) {
    this.values = values;
  }

  /**
   * Checks every key and value.
   *
   * @param provider whose settings these are
   * @param given values by key
   * @return the values, with the default where none was given
   * @throws IllegalArgumentException if a key is unknown or a value malformed; one sentence names
   *     the key, its valid values and the default
   */
  public static Settings of(MqProvider provider, Map<String, String> given) {
    List<Setting<?>> known = provider.settings();
    Map<String, String> left = new HashMap<>(given);
    Map<Setting<?>, Object> values = new HashMap<>();
    for (Setting<?> setting : known) {
      String text = left.remove(setting.key());
      try {
        values.put(setting, setting.parse(text == null ? setting.defaultText() : text));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(provider.name() + ": " + e.getMessage(), e);
      }
    }
    if (!left.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: unknown setting %s; the settings are %s"
              .formatted(
                  provider.name(),
                  left.keySet().stream().sorted().collect(Collectors.joining(", ")),
                  known.stream().map(Setting::toString).collect(Collectors.joining("; "))));
    }
    return new Settings(values);
  }

  /**
   * The value of a setting.
   *
   * @param <T> the type of its values
   * @param setting one of the provider's settings
   * @return the value given, or the default
   */
  @SuppressWarnings("unchecked") // a setting's value was made by its own parser
  public <T> T get(Setting<T> setting) {
    return (T) Objects.requireNonNull(values.get(setting), () -> "not declared: " + setting.key());
  }
}
