package org.mqproof.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The values given to {@link MqProvider#connect}, checked. Immutable, but for what is in files.
 * Thread-safe.
 */
public final class Settings {

  /** No password is longer, and no log or disk image is read by mistake. */
  private static final int LARGEST_FILE_BYTES = 64 << 10;

  private final Map<Setting<?>, Supplier<?>> values;

  private Settings(Map<Setting<?>, Supplier<?>> values) {
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
    Map<Setting<?>, Supplier<?>> values = new HashMap<>();
    for (Setting<?> setting : known) {
      try {
        values.put(
            setting,
            setting.clientOptions().isPresent()
                ? clientOptions(setting.clientOptions().get(), left)
                : value(setting, left));
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

  private static Supplier<?> value(Setting<?> setting, Map<String, String> left) {
    String text = left.remove(setting.key());
    String file = setting.isSecret() ? left.remove(setting.key() + Setting.FILE) : null;
    if (file != null) {
      return fromFile(setting.key(), text, file);
    }
    Object value = setting.parse(text == null ? setting.defaultText() : text);
    return () -> value;
  }

  private static Supplier<Map<String, String>> clientOptions(
      ClientOptions options, Map<String, String> left) {
    Map<String, Supplier<String>> values = new HashMap<>();
    for (String key : new TreeSet<>(left.keySet())) {
      if (key.startsWith(ClientOptions.PREFIX)) {
        String option = key.substring(ClientOptions.PREFIX.length());
        String value = Objects.requireNonNull(left.remove(key));
        boolean inFile = option.endsWith(Setting.FILE) && !options.isNamed(option);
        if (inFile) {
          option = option.substring(0, option.length() - Setting.FILE.length());
        }
        options.require(option);
        String other = values.containsKey(option) ? "" : null; // what it is does not matter
        values.put(
            option, inFile ? fromFile(ClientOptions.PREFIX + option, other, value) : () -> value);
      }
    }
    return () -> {
      Map<String, String> now = new TreeMap<>();
      values.forEach((option, value) -> now.put(option, value.get()));
      return now;
    };
  }

  private static Supplier<String> fromFile(String key, @Nullable String text, String file) {
    String fileKey = key + Setting.FILE;
    if (text != null) {
      throw new IllegalArgumentException(
          "settings %s and %s are both given: one is enough".formatted(key, fileKey));
    }
    try {
      return new FileText(Path.of(file));
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(
          "setting %s cannot be '%s': it takes the path of a text file that can be read (%s)"
              .formatted(fileKey, file, e.getClass().getSimpleName()),
          e);
    }
  }

  /**
   * What a file holds, read each time it is asked for. Whoever replaces a file may have it missing
   * for a moment: then it is what was read before. Thread-safe.
   */
  private static final class FileText implements Supplier<String> {

    private final Path path;
    private volatile String last;

    FileText(Path path) throws IOException {
      this.path = path;
      last = read();
    }

    private String read() throws IOException {
      if (Files.size(path) > LARGEST_FILE_BYTES) {
        throw new IOException("larger than " + LARGEST_FILE_BYTES + " bytes");
      }
      return Files.readString(path).replaceFirst("\\R\\z", "");
    }

    @Override
    public String get() {
      try {
        last = read();
      } catch (IOException e) {
        return last;
      }
      return last;
    }
  }

  /**
   * The value of a setting. One that is in a file is read at each call: an adapter asks for it
   * whenever it connects.
   *
   * @param <T> the type of its values
   * @param setting one of the provider's settings
   * @return the value given, or the default
   */
  @SuppressWarnings("unchecked") // a setting's value was made by its own parser
  public <T> T get(Setting<T> setting) {
    return (T)
        Objects.requireNonNull(values.get(setting), () -> "not declared: " + setting.key()).get();
  }
}
