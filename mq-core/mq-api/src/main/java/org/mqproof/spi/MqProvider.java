package org.mqproof.spi;

import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.mqproof.Mq;
import org.mqproof.MqException;

/**
 * Connects to one kind of system. An adapter registers its provider in {@code
 * META-INF/services/org.mqproof.spi.MqProvider}. Thread-safe.
 */
public interface MqProvider {

  /**
   * The system's name.
   *
   * @return lower case, for example {@code "kafka"}
   */
  String name();

  /**
   * Every setting that {@link #connect} accepts.
   *
   * @return in the order in which documentation lists them
   */
  List<Setting<?>> settings();

  /**
   * Connects.
   *
   * @param settings values by {@link Setting#key()}, or by what {@link Setting#takes}; what is not
   *     given has its default
   * @return a new connection
   * @throws IllegalArgumentException if a key is unknown or a value malformed; one sentence names
   *     the key, its valid values and the default
   * @throws MqException if the system does not answer; names the endpoint
   */
  Mq connect(Map<String, String> settings);

  /**
   * Finds a provider on the class path.
   *
   * @param name a system's name
   * @return the provider of that name
   * @throws IllegalArgumentException if there is none; lists the names that there are
   */
  static MqProvider named(String name) {
    List<MqProvider> found =
        ServiceLoader.load(MqProvider.class).stream().map(ServiceLoader.Provider::get).toList();
    return found.stream()
        .filter(provider -> provider.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no system '%s' on the class path; found %s"
                        .formatted(
                            name,
                            found.isEmpty()
                                ? "none: add an adapter, for example org.mqproof:mq-kafka"
                                : found.stream()
                                    .map(MqProvider::name)
                                    .sorted()
                                    .collect(Collectors.joining(", ")))));
  }
}
