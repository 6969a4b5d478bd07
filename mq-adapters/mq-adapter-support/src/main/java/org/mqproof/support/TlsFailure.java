package org.mqproof.support;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What a connection that TLS did not allow means, and what to do. Thread-safe: no state. */
public final class TlsFailure {

  /** No chain of causes is longer, but one could be a circle. */
  private static final int MOST_CAUSES = 20;

  private TlsFailure() {}

  /**
   * Explains a failure in the words of the settings.
   *
   * @param failure what a client threw, or one of its causes did
   * @return a part of a sentence; empty if it was not TLS, or nothing is known that helps
   */
  public static Optional<String> explain(@Nullable Throwable failure) {
    String found = null;
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
      String reason = reason(cause);
      found = reason == null ? found : reason; // what is deeper says more
    }
    return Optional.ofNullable(found);
  }

  private static @Nullable String reason(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof CertificateExpiredException) {
      return "the broker's certificate has ended (" + message + ")";
    }
    if (cause instanceof CertificateNotYetValidException) {
      return "the broker's certificate is not valid yet (" + message + ")";
    }
    if (cause instanceof CertPathBuilderException) {
      return "the broker's certificate is of no authority that tls.ca.file trusts";
    }
    if (cause instanceof CertificateException && message.startsWith("No ")) {
      return "the broker's certificate is not for the host that was connected to (%s)"
          .formatted(message);
    }
    // By name: each client may have a Netty of its own.
    if (cause.getClass().getSimpleName().equals("NotSslRecordException")
        || message.contains("Unsupported or unrecognized SSL message")) {
      return "the broker does not speak TLS at this port";
    }
    if (cause instanceof SSLException && message.contains("fatal alert")) {
      return alert(message);
    }
    return null;
  }

  /** With TLS 1.3 a client that gives no certificate learns it after its own handshake. */
  private static @Nullable String alert(String message) {
    String alert = message.toLowerCase(Locale.ROOT);
    return alert.contains("certificate") || alert.contains("unknown_ca")
        ? "the broker wants a certificate of this client, by tls.cert.file, that it trusts ("
            + message
            + ")"
        : null;
  }
}
