package org.mqproof.eventstore;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A user's name and password, which are never printed. Immutable. */
final class Credentials {

  private final String username;
  private final String password;

  private Credentials(String username, String password) {
    this.username = username;
    this.password = password;
  }

  /**
   * Reads them from where the setting {@code credentials} says.
   *
   * @param environment gives the value of a variable, or null
   * @throws IllegalArgumentException if they are not there; names the place and never a value
   */
  static Optional<Credentials> read(String where, UnaryOperator<@Nullable String> environment) {
    if (where.equals("none")) {
      return Optional.empty();
    }
    if (where.equals("env")) {
      return Optional.of(
          new Credentials(
              required(environment.apply("EVENTSTORE_USERNAME"), where, "EVENTSTORE_USERNAME"),
              required(environment.apply("EVENTSTORE_PASSWORD"), where, "EVENTSTORE_PASSWORD")));
    }
    Properties properties = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(where.substring("file:".length())), UTF_8)) {
      properties.load(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "eventstore: setting credentials cannot be '%s': the file cannot be read"
              .formatted(where),
          e);
    }
    return Optional.of(
        new Credentials(
            required(properties.getProperty("username"), where, "username"),
            required(properties.getProperty("password"), where, "password")));
  }

  static Credentials of(String username, String password) {
    return new Credentials(username, password);
  }

  private static String required(@Nullable String value, String where, String name) {
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(
          "eventstore: setting credentials cannot be '%s': there is no %s".formatted(where, name));
    }
    return value;
  }

  /** The value of the header {@code authorization}. */
  String header() {
    return "Basic "
        + Base64.getEncoder().encodeToString((username + ":" + password).getBytes(UTF_8));
  }

  @Override
  public String toString() {
    return "Credentials[of " + username + "]";
  }
}
