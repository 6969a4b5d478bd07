package org.mqproof.artemis;

import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.remoting.impl.ssl.CachingSSLContextFactory;
import org.apache.activemq.artemis.spi.core.remoting.ssl.SSLContextConfig;
import org.mqproof.support.Tls;

/**
 * Gives Artemis' client a context that is made already: by itself it reads key stores, and no PEM
 * with a key of its own. Every connection that brings no such context, whoever makes it, gets what
 * it would get without this class.
 *
 * <p>Registered in {@code META-INF/services}. Thread-safe.
 */
public final class PreparedTls extends CachingSSLContextFactory {

  /** Only this class looks for it. */
  private static final String PREPARED = "mqproofTls";

  /** For {@link java.util.ServiceLoader}. */
  public PreparedTls() {}

  /** Has a connection with these options encrypted. */
  static void putInto(Map<String, Object> options, Tls tls) {
    options.put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
    options.put(TransportConstants.VERIFY_HOST_PROP_NAME, tls.checksHost());
    options.put(PREPARED, tls.context());
  }

  @Override
  public SSLContext getSSLContext(SSLContextConfig config, Map<String, Object> options)
      throws Exception {
    return options.get(PREPARED) instanceof SSLContext prepared
        ? prepared
        : super.getSSLContext(config, options);
  }

  @Override
  public int getPriority() {
    return super.getPriority() + 1;
  }
}
