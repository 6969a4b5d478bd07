package org.mqproof.support;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;

/** Why TLS did not let a client in, and what to do about it. Thread-safe: no state. */
public final class TlsFailure {

  /** No chain of causes is longer, but one could be a circle. */
  private static final int MOST_CAUSES = 20;

  /** Longest probe of an address. It adds to the time of a connect that took its whole bound. */
  private static final Duration PROBE_BOUND = Duration.ofMillis(1_500);

  private static final String NO_TLS =
      "this port does not answer TLS: set tls=false, or take another port";

  private static final String HANGS =
      "this port does not answer TLS: it hangs, or is one for tls=false";

  /** Finding of a probe that completed its handshake and saw no alert. */
  private static final String TLS_WORKS = "";

  private TlsFailure() {}

  /**
   * Adds to a failed connection what TLS has to do with it, in the words of the settings. Where the
   * failure itself does not tell, which is so with most clients, it probes all addresses at once
   * with a handshake. That takes at most 1.5 s more, or 3 s if a handshake stops in the middle.
   *
   * @param failure what an adapter would throw
   * @param own this client's TLS; empty if it has none
   * @param addresses host:port, an IPv6 address in brackets
   * @return what to throw: the failure itself, if TLS has nothing to do with it
   */
  public static MqException explained(
      MqException failure, Optional<Tls> own, List<String> addresses) {
    Optional<String> why = explain(failure);
    if (why.isEmpty() && !addresses.isEmpty()) {
      why = probe(own, addresses);
    }
    String said = String.valueOf(failure.getMessage());
    return why.filter(reason -> !said.contains(reason))
        .map(reason -> new MqException(said + ": " + reason, failure))
        .orElse(failure);
  }

  /** Runs the probes in parallel: one that hangs takes no time from the others. */
  private static Optional<String> probe(Optional<Tls> own, List<String> addresses) {
    long deadline = System.nanoTime() + PROBE_BOUND.toNanos();
    List<Callable<Optional<String>>> probes = new ArrayList<>();
    for (String address : addresses) {
      probes.add(
          () -> own.isPresent() ? withTls(own.get(), address, deadline) : plain(address, deadline));
    }
    ExecutorService threads =
        Executors.newFixedThreadPool(
            probes.size(),
            task -> {
              Thread thread = new Thread(task, "mqproof-tls-probe");
              thread.setDaemon(true);
              return thread;
            });
    List<String> findings = new ArrayList<>();
    try {
      long atMost = 2 * PROBE_BOUND.toNanos(); // for one that stops in the middle of a handshake
      for (Future<Optional<String>> probe :
          threads.invokeAll(probes, atMost, TimeUnit.NANOSECONDS)) {
        if (!probe.isCancelled()) {
          probe.get().ifPresent(findings::add);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the findings so far count
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot probe " + addresses, e.getCause());
    } finally {
      threads.shutdownNow();
    }
    Optional<String> reason =
        findings.stream()
            .filter(what -> !what.equals(TLS_WORKS) && !what.equals(HANGS))
            .findFirst();
    // A node that hangs explains nothing if TLS works with another.
    boolean hangs = findings.contains(HANGS) && !findings.contains(TLS_WORKS);
    return hangs ? reason.or(() -> Optional.of(HANGS)) : reason;
  }

  /**
   * Explains what a client threw.
   *
   * @param failure may have the reason among its causes
   * @return a part of a sentence; empty if it is not TLS, or nothing is known that helps
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
    if ((cause instanceof CertificateException && message.startsWith("No "))
        || (cause instanceof SSLPeerUnverifiedException
            && message.startsWith("Certificate for "))) {
      return "the broker's certificate is not for the host that was connected to (%s)"
          .formatted(message);
    }
    // By name: each client may have a Netty of its own.
    if (cause.getClass().getSimpleName().equals("NotSslRecordException")
        || message.contains("Unsupported or unrecognized SSL message")) {
      return NO_TLS;
    }
    return cause instanceof SSLException && message.contains("fatal alert") ? alert(message) : null;
  }

  private static @Nullable String alert(String message) {
    String alert = message.toLowerCase(Locale.ROOT);
    return alert.contains("certificate") || alert.contains("unknown_ca")
        ? "the broker wants a certificate of this client, tls.cert.file, that it trusts ("
            + message
            + ")"
        : null;
  }

  private static Optional<String> withTls(Tls own, String address, long deadline) {
    // Only the plain socket is closed: to close the other is to wait once more for the broker.
    try (Socket plain = connected(address, deadline)) {
      SSLSocket socket = own.over(plain, host(address), port(address));
      try {
        socket.startHandshake();
      } catch (SocketTimeoutException e) {
        return Optional.of(HANGS);
      } catch (SSLException e) {
        boolean hungUp = e.getCause() instanceof IOException;
        return hungUp ? Optional.of(NO_TLS) : explain(e);
      } catch (IOException e) {
        return Optional.of(NO_TLS); // it hung up on the first bytes
      }
      // With TLS 1.3 a client learns only now that it should have had a certificate.
      socket.setSoTimeout(millisUntil(deadline));
      try {
        int unused = socket.getInputStream().read();
      } catch (SocketTimeoutException e) {
        return Optional.of(TLS_WORKS);
      }
      return Optional.empty();
    } catch (IOException e) {
      return explain(e);
    }
  }

  /** Whether a port speaks TLS, to a client that does not. */
  private static Optional<String> plain(String address, long deadline) {
    try (Socket plain = connected(address, deadline)) {
      SSLSocket socket =
          (SSLSocket)
              Curious.context()
                  .getSocketFactory()
                  .createSocket(plain, host(address), port(address), true);
      socket.startHandshake();
    } catch (SSLException e) {
      return Curious.saw(e) ? Optional.of("this port speaks TLS: set tls=true") : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // it is down, hangs, or hung up
    }
    return Optional.empty();
  }

  private static Socket connected(String address, long deadline) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host(address), port(address)), millisUntil(deadline));
      socket.setSoTimeout(millisUntil(deadline));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private static String host(String address) {
    String host = address.substring(0, address.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private static int millisUntil(long deadline) {
    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    return Math.toIntExact(Math.max(1, left));
  }

  /** Trusts nobody, and so ends a handshake as soon as there is a certificate to look at. */
  private static final class Curious implements X509TrustManager {

    private static final String SEEN = "a certificate was seen";

    static SSLContext context() {
      try {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new Curious[] {new Curious()}, null);
        return context;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every JVM has TLS", e);
      }
    }

    static boolean saw(SSLException failure) {
      Throwable cause = failure.getCause();
      return cause instanceof CertificateException && SEEN.equals(cause.getMessage());
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
        throws CertificateException {
      throw new CertificateException(SEEN);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
        throws CertificateException {
      throw new CertificateException(SEEN);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
