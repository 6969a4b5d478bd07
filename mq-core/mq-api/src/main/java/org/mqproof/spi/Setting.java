package org.mqproof.spi;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One key that {@link MqProvider#connect} accepts: its values, its default and what it does.
 * Immutable.
 *
 * @param <T> the type of its values
 */
public final class Setting<T> {

  /** What follows the key of a {@link #secret} to name a file that holds the value. */
  public static final String FILE = ".file";

  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h)");

  private final String key;
  private final String defaultText;
  private final String validValues;
  private final String description;
  private final Function<String, T> parser;
  private final boolean secret;
  private final @Nullable ClientOptions options;

  private Setting(
      String key,
      String defaultText,
      String validValues,
      String description,
      Function<String, T> parser) {
    this(key, defaultText, validValues, description, parser, false, null);
  }

  private Setting(
      String key,
      String defaultText,
      String validValues,
      String description,
      Function<String, T> parser,
      boolean secret,
      @Nullable ClientOptions options) {
    this.secret = secret;
    this.options = options;
    this.key = key;
    this.defaultText = defaultText;
    this.validValues = validValues;
    this.description = description;
    this.parser = parser;
    parse(defaultText);
  }

  /**
   * Any text but an empty one.
   *
   * @param key the key
   * @param defaultText the value where none is given
   * @param validValues what is valid, as a phrase, for example {@code "host:port, separated by
   *     commas"}
   * @param description one sentence
   * @return the setting
   */
  public static Setting<String> text(
      String key, String defaultText, String validValues, String description) {
    return new Setting<>(
        key,
        defaultText,
        validValues,
        description,
        text -> {
          if (text.isBlank()) {
            throw new IllegalArgumentException("blank");
          }
          return text;
        });
  }

  /**
   * A password or the like: any text, also an empty one. It may be in a file, which the key with
   * {@link #FILE} after it names; no error shows it.
   *
   * @param key the key
   * @param defaultText the value where none is given: one that everybody may know
   * @param description one sentence
   * @return the setting
   */
  public static Setting<String> secret(String key, String defaultText, String description) {
    String validValues = "any text, or %s%s=the path of a file that holds it".formatted(key, FILE);
    return new Setting<>(key, defaultText, validValues, description, text -> text, true, null);
  }

  /**
   * Options of the system's own client, each given as {@link ClientOptions#PREFIX} and its name. A
   * value may be in a file, as that of a {@link #secret}, unless the client has an option of that
   * name.
   *
   * @param options what is taken
   * @return the setting, whose value is what was given, by option
   */
  public static Setting<Map<String, String>> client(ClientOptions options) {
    return new Setting<>(
        ClientOptions.PREFIX + "*",
        "",
        "an option of " + options.client() + ", by its own name",
        "Passed to " + options.client() + " as it is.",
        text -> Map.of(),
        false,
        options);
  }

  /**
   * Text that must match an expression.
   *
   * @param key the key
   * @param defaultText the value where none is given
   * @param valid what a value must match as a whole
   * @param validValues what is valid, as a phrase
   * @param description one sentence
   * @return the setting
   */
  public static Setting<String> pattern(
      String key, String defaultText, Pattern valid, String validValues, String description) {
    return new Setting<>(
        key,
        defaultText,
        validValues,
        description,
        text -> {
          if (!valid.matcher(text).matches()) {
            throw new IllegalArgumentException("no match");
          }
          return text;
        });
  }

  /**
   * A whole number.
   *
   * @param key the key; ends with the unit where there is one
   * @param defaultValue the value where none is given
   * @param min smallest valid value
   * @param max largest valid value
   * @param description one sentence
   * @return the setting
   */
  public static Setting<Integer> integer(
      String key, int defaultValue, int min, int max, String description) {
    return new Setting<>(
        key,
        Integer.toString(defaultValue),
        "a whole number from " + min + " to " + max,
        description,
        text -> {
          int value = Integer.parseInt(text);
          if (value < min || value > max) {
            throw new IllegalArgumentException("out of range");
          }
          return value;
        });
  }

  /**
   * A length of time, written as a number and a unit.
   *
   * @param key the key
   * @param defaultValue the value where none is given, in whole milliseconds
   * @param min shortest valid value
   * @param max longest valid value
   * @param description one sentence
   * @return the setting
   */
  public static Setting<Duration> duration(
      String key, Duration defaultValue, Duration min, Duration max, String description) {
    return new Setting<>(
        key,
        text(defaultValue),
        "a number with ms, s, m or h, from " + text(min) + " to " + text(max),
        description,
        text -> {
          Duration value = parseDuration(text);
          if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("out of range");
          }
          return value;
        });
  }

  /**
   * One constant of an enum, written in lower case.
   *
   * @param <E> the enum
   * @param key the key
   * @param defaultValue the value where none is given
   * @param description one sentence
   * @return the setting
   */
  public static <E extends Enum<E>> Setting<E> oneOf(
      String key, E defaultValue, String description) {
    Class<E> type = defaultValue.getDeclaringClass();
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Setting::text).toList();
    return new Setting<>(
        key,
        text(defaultValue),
        String.join(" or ", names),
        description,
        text -> {
          int index = names.indexOf(text);
          if (index < 0) {
            throw new IllegalArgumentException("no such value");
          }
          return type.getEnumConstants()[index];
        });
  }

  /**
   * {@code true} or {@code false}.
   *
   * @param key the key
   * @param defaultValue the value where none is given
   * @param description one sentence
   * @return the setting
   */
  public static Setting<Boolean> bool(String key, boolean defaultValue, String description) {
    return new Setting<>(
        key,
        Boolean.toString(defaultValue),
        "true or false",
        description,
        text ->
            switch (text) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new IllegalArgumentException("not a boolean");
            });
  }

  /**
   * The key.
   *
   * @return for example {@code "commit.interval"}
   */
  public String key() {
    return key;
  }

  /**
   * The default, as it would be written.
   *
   * @return for example {@code "10s"}
   */
  public String defaultText() {
    return defaultText;
  }

  /**
   * What is valid, as a phrase.
   *
   * @return for example {@code "a whole number from 1 to 1000"}
   */
  public String validValues() {
    return validValues;
  }

  /**
   * What the setting does.
   *
   * @return one sentence
   */
  public String description() {
    return description;
  }

  /**
   * Whether the value must not be shown.
   *
   * @return true for a {@link #secret}
   */
  public boolean isSecret() {
    return secret;
  }

  /**
   * Whether a key is that of this setting.
   *
   * @param given as it was given to {@link MqProvider#connect}
   * @return true for the key, and for that of a file with its value
   */
  public boolean takes(String given) {
    return options == null
        ? given.equals(key) || (secret && given.equals(key + FILE))
        : given.startsWith(ClientOptions.PREFIX);
  }

  /**
   * Whether the value given for a key of this setting must not be shown.
   *
   * @param given as it was given to {@link MqProvider#connect}
   * @return true for a secret itself, not for the path of a file that holds it; and for every
   *     option of the system's own client that is not known to be harmless
   */
  public boolean hides(String given) {
    if (!takes(given) || given.endsWith(FILE)) {
      return false;
    }
    return options == null
        ? secret
        : !options.isShown(given.substring(ClientOptions.PREFIX.length()));
  }

  /**
   * The options of the system's own client.
   *
   * @return empty unless this is {@link #client}
   */
  public Optional<ClientOptions> clientOptions() {
    return Optional.ofNullable(options);
  }

  T parse(String text) {
    try {
      return parser.apply(text);
    } catch (IllegalArgumentException | DateTimeParseException e) {
      throw new IllegalArgumentException(
          "setting %s cannot be '%s': it takes %s (default %s)"
              .formatted(key, text, validValues, defaultText),
          e);
    }
  }

  private static Duration parseDuration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("no number with a unit");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  private static String text(Duration duration) {
    long millis = duration.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public String toString() {
    return "%s: %s (default %s)".formatted(key, validValues, defaultText);
  }
}
