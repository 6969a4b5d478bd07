package org.mqproof.postgresql;

import java.io.IOException;
import java.net.Socket;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.WeakHashMap;
import org.mqproof.support.Tls;
import org.postgresql.ssl.WrappedFactory;

/**
 * Gives pgjdbc sockets with a context that is made already, and checks the host. Public for pgjdbc,
 * which makes it by its name and knows it by a text. Thread-safe.
 */
public final class PreparedTls extends WrappedFactory {

  /** What is prepared goes with its key. */
  private static final Map<String, Tls> PREPARED = Collections.synchronizedMap(new WeakHashMap<>());

  private final Tls own;

  /**
   * For pgjdbc.
   *
   * @param key of what was prepared
   */
  public PreparedTls(String key) {
    own = Objects.requireNonNull(PREPARED.get(key), "forgotten");
    factory = own.context().getSocketFactory();
  }

  /** A key, to be held for as long as pgjdbc may ask. */
  static String put(Tls tls) {
    String key = UUID.randomUUID().toString();
    PREPARED.put(key, tls);
    return key;
  }

  @Override
  public Socket createSocket(Socket plain, String host, int port, boolean autoClose)
      throws IOException {
    return own.over(plain, host, port);
  }
}
