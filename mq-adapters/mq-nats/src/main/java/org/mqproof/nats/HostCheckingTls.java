package org.mqproof.nats;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.mqproof.support.Tls;

/**
 * A context whose sockets check that the certificate is for the host: the library takes whatever
 * socket the context makes over a connected one, and does not check the host itself. Immutable.
 */
final class HostCheckingTls extends SSLContextSpi {

  private final Tls tls;

  private HostCheckingTls(Tls tls) {
    this.tls = tls;
  }

  static SSLContext context(Tls tls) {
    SSLContext own = tls.context();
    return new SSLContext(new HostCheckingTls(tls), own.getProvider(), own.getProtocol()) {};
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    return new Sockets(tls);
  }

  @Override
  protected void engineInit(
      KeyManager @Nullable [] keys,
      TrustManager @Nullable [] trust,
      @Nullable SecureRandom random) {
    throw new UnsupportedOperationException("it is initialized");
  }

  @Override
  protected SSLServerSocketFactory engineGetServerSocketFactory() {
    return tls.context().getServerSocketFactory();
  }

  @Override
  protected SSLEngine engineCreateSSLEngine() {
    return tls.context().createSSLEngine();
  }

  @Override
  protected SSLEngine engineCreateSSLEngine(String host, int port) {
    return tls.context().createSSLEngine(host, port);
  }

  @Override
  protected SSLSessionContext engineGetServerSessionContext() {
    return tls.context().getServerSessionContext();
  }

  @Override
  protected SSLSessionContext engineGetClientSessionContext() {
    return tls.context().getClientSessionContext();
  }

  /** Only goes over sockets that are connected. */
  private static final class Sockets extends SSLSocketFactory {

    private final Tls tls;
    private final SSLSocketFactory own;

    Sockets(Tls tls) {
      this.tls = tls;
      own = tls.context().getSocketFactory();
    }

    @Override
    public Socket createSocket(Socket plain, String host, int port, boolean autoClose)
        throws IOException {
      return tls.over(plain, host, port);
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return own.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return own.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      throw unconnected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort)
        throws IOException {
      throw unconnected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      throw unconnected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort)
        throws IOException {
      throw unconnected();
    }

    private static IOException unconnected() {
      return new IOException("only over a socket that is connected");
    }
  }
}
