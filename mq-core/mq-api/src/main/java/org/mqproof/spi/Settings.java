package org.mqproof.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The values given to {@link MqProvider#connect}, checked. Immutable. */
public final class Settings {

  /** No password is longer, and no log or disk image is read by mistake. */
  private static final int LARGEST_FILE_BYTES = 64 << 10;

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
   * @throws IllegalArgumentException if a key is unknown, a value malformed or a file of a secret
   *     not readable; one sentence names the key, its valid values and the default
   */
  public static Settings of(MqProvider provider, Map<String, String> given) {
    List<Setting<?>> known = provider.settings();
    Map<String, String> left = new HashMap<>(given);
    Map<Setting<?>, Object> values = new HashMap<>();
    for (Setting<?> setting : known) {
      try {
        String text = left.remove(setting.key());
        if (setting.isSecret()) {
          text = fromFile(setting, text, left.remove(setting.key() + Setting.FILE));
        }
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

  private static @Nullable String fromFile(
      Setting<?> secret, @Nullable String text, @Nullable String file) {
    if (file == null) {
      return text;
    }
    String key = secret.key() + Setting.FILE;
    if (text != null) {
      throw new IllegalArgumentException(
          "settings %s and %s are both given: one is enough".formatted(secret.key(), key));
    }
    try {
      Path path = Path.of(file);
      if (Files.size(path) > LARGEST_FILE_BYTES) {
        throw new IOException("larger than " + LARGEST_FILE_BYTES + " bytes");
      }
      return Files.readString(path).replaceFirst("\\R\\z", "");
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(
          "setting %s cannot be '%s': it takes the path of a text file that can be read (%s)"
              .formatted(key, file, e.getClass().getSimpleName()),
          e);
    }
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
