package org.mqproof.spi;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
  private final Map<String, Boolean> known;
  private final Map<String, String> refused;

  private ClientOptions(String client, Map<String, Boolean> known, Map<String, String> refused) {
    this.client = client;
    this.known = Map.copyOf(known);
    this.refused = Map.copyOf(refused);
  }

  /**
   * The options of one client.
   *
   * @param client the client's name, as a sentence has it
   * @param known whether the value may be shown, by option; a name that ends in {@code *} stands
   *     for all that begin so
   * @param refused why an option is refused, as the end of a sentence, by option; a name that ends
   *     in {@code *} as above; counts more than {@code known}
   * @return the options
   */
  public static ClientOptions of(
      String client, Map<String, Boolean> known, Map<String, String> refused) {
    return new ClientOptions(client, known, refused);
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
    return known.keySet().stream()
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
    return Boolean.TRUE.equals(find(known, option));
  }

  /**
   * Says that the client does not take a value.
   *
   * @param system the provider's name
   * @param option its name
   * @param value shown only if it is no secret
   * @return an error of one sentence
   */
  public IllegalArgumentException refused(String system, String option, String value) {
    return new IllegalArgumentException(
        "%s: setting %s%s cannot be %s: %s does not take it"
            .formatted(
                system,
                PREFIX,
                option,
                isShown(option) ? "'" + value + "'" : "what it is",
                client));
  }

  /** Whether there is an option of just this name: then its end says nothing of a file. */
  boolean isNamed(String option) {
    return known.containsKey(option);
  }

  /** Refuses what is not passed on, in one sentence without the value. */
  void require(String option) {
    String why = find(refused, option);
    if (why != null) {
      throw new IllegalArgumentException(
          "setting %s%s is refused: %s".formatted(PREFIX, option, why));
    }
    if (find(known, option) == null) {
      throw new IllegalArgumentException(
          known.isEmpty()
              ? "setting %s%s is refused: %s takes no options by name"
                  .formatted(PREFIX, option, client)
              : "setting %s%s is refused: %s has no such option".formatted(PREFIX, option, client));
    }
  }

  private static <T> @Nullable T find(Map<String, T> byName, String option) {
    T found = byName.get(option);
    for (int end = option.length(); found == null && end >= 0; end--) {
      found = byName.get(option.substring(0, end) + ANY);
    }
    return found;
  }
}
