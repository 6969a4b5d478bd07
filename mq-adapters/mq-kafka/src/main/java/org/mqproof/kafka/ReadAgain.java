package org.mqproof.kafka;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.JwtRetriever;
import org.apache.kafka.common.security.oauthbearer.JwtRetrieverException;
import org.jspecify.annotations.Nullable;

/**
 * Gives Kafka's client a password, or a token, as its file has it at that moment: by itself the
 * client keeps what it was made with. Public for Kafka's client, which makes it by its class.
 *
 * <p>Thread-safe once it is configured.
 */
public final class ReadAgain implements AuthenticateCallbackHandler, JwtRetriever {

  /** Keys of a client's configuration that only this class looks for. */
  private static final String USERNAME = "mqproof.username";

  private static final String SECRET = "mqproof.secret";

  private static final Pattern TOKEN = Pattern.compile("[\\w-]+\\.[\\w-]+\\.[\\w-]*");

  private String username = "";
  private Supplier<?> secret = () -> "";

  /** For Kafka's client. */
  public ReadAgain() {}

  /**
   * Adds what this class needs to a client's configuration.
   *
   * @param username who connects; empty for a token, which says so itself
   * @param secret asked whenever the client connects or logs in
   */
  static void put(Map<String, Object> config, String username, Supplier<String> secret) {
    config.put(USERNAME, username);
    config.put(SECRET, secret);
  }

  @Override
  public void configure(
      Map<String, ?> configs,
      @Nullable String mechanism,
      @Nullable List<AppConfigurationEntry> jaas) {
    username = String.valueOf(configs.get(USERNAME));
    secret = (Supplier<?>) Objects.requireNonNull(configs.get(SECRET), "given by put");
  }

  /** Of others, such as those for extensions, nothing is set. */
  @Override
  public void handle(Callback[] callbacks) {
    for (Callback callback : callbacks) {
      if (callback instanceof NameCallback name) {
        name.setName(username);
      } else if (callback instanceof PasswordCallback password) {
        password.setPassword(String.valueOf(secret.get()).toCharArray());
      }
    }
  }

  @Override
  public String retrieve() {
    String token = String.valueOf(secret.get());
    if (!TOKEN.matcher(token).matches()) { // Kafka's own error would show it
      throw new JwtRetrieverException("setting token is no JSON Web Token");
    }
    return token;
  }

  @Override
  public void close() {}
}
