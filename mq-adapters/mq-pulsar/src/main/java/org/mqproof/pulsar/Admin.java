package org.mqproof.pulsar;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.Causes;
import org.mqproof.support.Tls;

/**
 * What Pulsar does only over HTTP: creating and deleting topics, subscriptions and namespaces.
 *
 * <p>Through {@link HttpURLConnection}, one connection for each request: Java 17's newer client
 * cannot be closed, and leaves its thread to the garbage collector.
 *
 * <p>Thread-safe: immutable.
 */
final class Admin {

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  /** Why, beside the number that is also said to a known one. */
  private static final String UNKNOWN_USER = "Authentication required";

  private static final int CONFLICT = 409;
  private static final int PRECONDITION_FAILED = 412;
  private static final int MOST_REDIRECTS = 5;

  private final PulsarSettings settings;
  private final List<URI> brokers;

  Admin(PulsarSettings settings) {
    this.settings = settings;
    brokers = settings.adminUrls();
  }

  /**
   * An answer that is not a failure.
   *
   * @param status 2xx; 401 or 403 for what this user may not do; 404 for what is not there; 409 for
   *     what is there already; 412 for a subscription that another client makes at this moment
   */
  record Answer(int status, String text) {

    boolean isMissing() {
      return status == NOT_FOUND;
    }

    /** Whether this user is known, and may not ask; Pulsar has two numbers for that. */
    boolean isDenied() {
      return status == FORBIDDEN || (status == UNAUTHORIZED && !text.contains(UNKNOWN_USER));
    }

    boolean isBusy() {
      return status == PRECONDITION_FAILED && text.contains("Subscription Busy");
    }

    boolean isDone() {
      return status / 100 == 2;
    }
  }

  /** A moment by which all requests of one call must have ended; a step is left for the rest. */
  long deadlineNanos() {
    return System.nanoTime() + settings.stepBound().multipliedBy(3).toNanos();
  }

  /**
   * Makes a request of one broker after the other, until one answers.
   *
   * @param what is asked for, for the message of an error
   * @throws MqException if none answers in time, or one refuses
   */
  Answer request(
      String what, String method, String path, @Nullable String body, long deadlineNanos) {
    Answer answer = ask(what, method, path, body, deadlineNanos);
    if (answer.isDenied()) {
      throw refused(what, answer);
    }
    return answer;
  }

  /**
   * Makes a request that this user may not be allowed to make, which is an answer then.
   *
   * @param what is asked for, for the message of an error
   * @throws MqException if none answers in time, or one refuses for another reason
   */
  Answer ask(String what, String method, String path, @Nullable String body, long deadlineNanos) {
    IOException failure = null;
    for (int i = 0; i < brokers.size(); i++) {
      long left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        break;
      }
      Duration bound = Duration.ofNanos(left / (brokers.size() - i));
      try {
        Answer answer = ask(brokers.get(i).resolve(path), method, body, bound);
        if (answer.status() / 100 == 5) {
          failure = new IOException("status " + answer.status() + ": " + answer.text());
        } else if (isUseful(answer)) {
          return answer;
        } else {
          throw refused(what, answer);
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    throw new MqException(
        "%s, administered at %s: cannot %s: %s"
            .formatted(
                settings.endpoint(),
                settings.get(PulsarSettings.ADMIN_URL),
                what,
                failure == null ? "no answer in time" : Causes.reason(failure)),
        failure);
  }

  private MqException refused(String what, Answer answer) {
    return new MqException(
        "%s: cannot %s: status %d: %s"
            .formatted(settings.endpoint(), what, answer.status(), answer.text()));
  }

  private static boolean isUseful(Answer answer) {
    return answer.isDone()
        || answer.isDenied()
        || answer.isMissing()
        || answer.isBusy()
        || answer.status() == CONFLICT;
  }

  /** Follows redirects: a broker sends to the one that owns a topic. */
  private Answer ask(URI first, String method, @Nullable String body, Duration bound)
      throws IOException {
    long deadline = System.nanoTime() + bound.toNanos();
    URI uri = first;
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      int left = (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new IOException("no answer in " + bound.toMillis() + " ms");
      }
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      if (connection instanceof HttpsURLConnection encrypted) {
        settings.tls().ifPresent(tls -> encrypt(encrypted, tls));
      }
      try {
        send(connection, method, body, left);
        int status = connection.getResponseCode();
        String location = connection.getHeaderField("Location");
        if (status / 100 != 3 || location == null) {
          return new Answer(status, text(connection));
        }
        uri = uri.resolve(location);
      } finally {
        connection.disconnect();
      }
    }
    throw new IOException("too many redirects, the last one to " + uri);
  }

  private static void encrypt(HttpsURLConnection connection, Tls tls) {
    connection.setSSLSocketFactory(tls.context().getSocketFactory());
    if (!tls.checksHost()) {
      connection.setHostnameVerifier((host, session) -> true);
    }
  }

  private void send(
      HttpURLConnection connection, String method, @Nullable String body, int boundMillis)
      throws IOException {
    long connectMillis = settings.get(PulsarSettings.CONNECT_BOUND).toMillis();
    connection.setRequestMethod(method);
    connection.setConnectTimeout((int) Math.min(connectMillis, boundMillis));
    connection.setReadTimeout(boundMillis);
    connection.setInstanceFollowRedirects(false); // it would change the method
    connection.setRequestProperty("Connection", "close"); // none is left when the Mq is closed
    settings
        .token()
        .ifPresent(token -> connection.setRequestProperty("Authorization", "Bearer " + token));
    if (body != null) {
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static String text(HttpURLConnection connection) throws IOException {
    InputStream stream =
        connection.getResponseCode() < 400
            ? connection.getInputStream()
            : connection.getErrorStream();
    if (stream == null) {
      return "";
    }
    try (InputStream in = stream) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
