package org.mqproof.spi;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The options of a system's own client, by its own names, that settings {@code client.NAME} pass to
 * it: those it knows, and those that are refused because a promise rests on them. Immutable.
 */
public final class ClientOptions {

  /** What the keys of all such settings begin with. */
  public static final String PREFIX = "client.";

  private static final String ANY = "*";

  private final String client;
  private final Supplier<Map<String, Boolean>> toKnow;
  private final Map<String, String> refused;
  private volatile @Nullable Map<String, Boolean> known; // asked for once

  private ClientOptions(
      String client, Supplier<Map<String, Boolean>> toKnow, Map<String, String> refused) {
    this.client = client;
    this.toKnow = toKnow;
    this.refused = Map.copyOf(refused);
  }

  /**
   * A client's options: none by name, to which the other methods add.
   *
   * @param client the client's name, as a sentence has it
   * @return without options
   */
  public static ClientOptions of(String client) {
    return new ClientOptions(client, Map::of, Map.of());
  }

  /**
   * Adds options whose values may be shown.
   *
   * @param options a name that ends in {@code *} stands for all that begin so
   * @return these and those
   */
  public ClientOptions shown(String... options) {
    return known(Arrays.stream(options).collect(Collectors.toMap(option -> option, o -> true)));
  }

  /**
   * Adds options whose values may not be shown.
   *
   * @param options as for {@link #shown}
   * @return these and those
   */
  public ClientOptions secret(String... options) {
    return known(Arrays.stream(options).collect(Collectors.toMap(option -> option, o -> false)));
  }

  /**
   * Adds options.
   *
   * @param options whether the value may be shown, by option; names as for {@link #shown}
   * @return these and those
   */
  public ClientOptions known(Map<String, Boolean> options) {
    return known(() -> options);
  }

  /**
   * Adds options of a client whose classes are slow to load: they are asked for when a setting
   * names the first option, or a document lists all.
   *
   * @param options gives what {@link #known(Map)} takes, on any thread
   * @return these and those
   */
  public ClientOptions known(Supplier<Map<String, Boolean>> options) {
    return new ClientOptions(
        client,
        () -> {
          Map<String, Boolean> all = new HashMap<>(known());
          all.putAll(options.get());
          return Map.copyOf(all);
        },
        refused);
  }

  /**
   * Refuses options, whether they are known or not.
   *
   * @param why the end of a sentence
   * @param options as for {@link #shown}
   * @return with these refused
   */
  public ClientOptions refused(String why, String... options) {
    Map<String, String> all = new HashMap<>(refused);
    Arrays.stream(options).forEach(option -> all.put(option, why));
    return new ClientOptions(client, this::known, all);
  }

  /**
   * The client's name.
   *
   * @return for example {@code "Kafka's client"}
   */
  public String client() {
    return client;
  }

  /**
   * The options that are refused.
   *
   * @return why, by option, sorted; a name that ends in {@code *} stands for all that begin so
   */
  public Map<String, String> refused() {
    return new TreeMap<>(refused);
  }

  /**
   * The options that are passed on.
   *
   * @return sorted; a name that ends in {@code *} stands for all that begin so
   */
  public List<String> taken() {
    return known().keySet().stream()
        .filter(option -> find(refused, option) == null)
        .sorted()
        .toList();
  }

  /**
   * Whether the value of an option is no secret.
   *
   * @param option its name
   * @return true only for what is known to be harmless
   */
  public boolean isShown(String option) {
    return Boolean.TRUE.equals(find(known(), option));
  }

  /** Tries a value, or fails. */
  @FunctionalInterface
  public interface Attempt {

    /**
     * Tries it.
     *
     * @param option its name
     * @param value what was given
     */
    void take(String option, String value);
  }

  /**
   * Fails for a value that the client does not take, in one sentence: its own error may show a
   * secret.
   *
   * @param system the provider's name
   * @param given the options
   * @param attempt tries each of them
   * @throws IllegalArgumentException if one attempt fails; the value is shown only if it is no
   *     secret
   */
  public void check(String system, Map<String, String> given, Attempt attempt) {
    given.forEach(
        (option, value) -> {
          try {
            attempt.take(option, value);
          } catch (RuntimeException e) { // it may have the value
            throw new IllegalArgumentException(
                "%s: setting %s%s cannot be %s: %s does not take it"
                    .formatted(
                        system,
                        PREFIX,
                        option,
                        isShown(option) ? "'" + value + "'" : "what it is",
                        client));
          }
        });
  }

  /** Whether there is an option of just this name: then its end says nothing of a file. */
  boolean isNamed(String option) {
    return known().containsKey(option);
  }

  /** Refuses what is not passed on, in one sentence without the value. */
  void require(String option) {
    String why = find(refused, option);
    if (why != null) {
      throw new IllegalArgumentException(
          "setting %s%s is refused: %s".formatted(PREFIX, option, why));
    }
    if (find(known(), option) == null) {
      throw new IllegalArgumentException(
          known().isEmpty()
              ? "setting %s%s is refused: %s takes no options by name"
                  .formatted(PREFIX, option, client)
              : "setting %s%s is refused: %s has no such option".formatted(PREFIX, option, client));
    }
  }

  private Map<String, Boolean> known() {
    Map<String, Boolean> all = known;
    if (all == null) {
      all = toKnow.get();
      known = all;
    }
    return all;
  }

  private static <T> @Nullable T find(Map<String, T> byName, String option) {
    T found = byName.get(option);
    for (int end = option.length(); found == null && end >= 0; end--) {
      found = byName.get(option.substring(0, end) + ANY);
    }
    return found;
  }
}
