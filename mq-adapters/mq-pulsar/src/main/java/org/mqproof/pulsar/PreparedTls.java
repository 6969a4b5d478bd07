package org.mqproof.pulsar;

import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.AuthenticationDataProvider;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.common.util.PulsarSslConfiguration;
import org.apache.pulsar.common.util.PulsarSslFactory;
import org.apache.pulsar.shade.io.netty.buffer.ByteBufAllocator;
import org.apache.pulsar.shade.io.netty.handler.ssl.SslContext;
import org.jspecify.annotations.Nullable;
import org.mqproof.support.Tls;

/**
 * Gives Pulsar's client a context that is made already: by itself it reads files, and no encrypted
 * key. Public for Pulsar's client, which makes it by its name and knows it by a text. Thread-safe.
 */
public final class PreparedTls implements PulsarSslFactory {

  private static final Map<String, Tls> PREPARED = new ConcurrentHashMap<>();

  private @Nullable Tls own;

  /** For Pulsar's client. */
  public PreparedTls() {}

  /**
   * Has the connections of a client encrypted.
   *
   * @return what to {@link #forget} with the client
   */
  static String putInto(ClientBuilder builder, Tls tls) {
    String id = UUID.randomUUID().toString();
    PREPARED.put(id, tls);
    builder
        .enableTlsHostnameVerification(tls.checksHost())
        .sslFactoryPlugin(PreparedTls.class.getName())
        .sslFactoryPluginParams(id);
    return id;
  }

  static void forget(String id) {
    PREPARED.remove(id);
  }

  @Override
  public void initialize(PulsarSslConfiguration configuration) {
    own = Objects.requireNonNull(PREPARED.get(configuration.getTlsCustomParams()), "forgotten");
  }

  @Override
  public SSLEngine createClientSslEngine(ByteBufAllocator buffers, String host, int port) {
    SSLEngine engine = getInternalSslContext().createSSLEngine(host, port);
    engine.setUseClientMode(true);
    return engine;
  }

  @Override
  public SSLEngine createServerSslEngine(ByteBufAllocator buffers) {
    throw new UnsupportedOperationException("this is a client");
  }

  @Override
  public boolean needsUpdate() {
    return false;
  }

  @Override
  public void createInternalSslContext() {} // it is there

  @Override
  public SSLContext getInternalSslContext() {
    return Objects.requireNonNull(own, "initialized").context();
  }

  @Override
  public SslContext getInternalNettySslContext() {
    throw new UnsupportedOperationException("there is only one of the JVM's own kind");
  }

  @Override
  public void close() {}

  /** Says that the certificate is the user; it is in the handshake. */
  static final class ByCertificate implements Authentication {

    private static final long serialVersionUID = 1L;

    @Override
    public String getAuthMethodName() {
      return "tls";
    }

    @Override
    public AuthenticationDataProvider getAuthData(String host) {
      return new AuthenticationDataProvider() {
        private static final long serialVersionUID = 1L;
      };
    }

    @Override
    @SuppressWarnings("deprecation") // part of the interface
    public void configure(Map<String, String> parameters) {}

    @Override
    public void start() {}

    @Override
    public void close() {}
  }
}
