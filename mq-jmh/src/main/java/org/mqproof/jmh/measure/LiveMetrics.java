package org.mqproof.jmh.measure;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/**
 * What a trial, or a node of a run on several machines, is doing, for Prometheus, while it runs:
 * {@code GET /metrics} in its text format. Off unless asked for, and then on the loopback address
 * unless another is given; no thread, no socket and no work when off.
 *
 * <p>On the JDK's own server and by hand: a client library would bring its own counters, and these
 * numbers are counted already. Thread-safe.
 */
public final class LiveMetrics implements AutoCloseable {

  /** {@code PORT} or {@code ADDRESS:PORT}. */
  static final String PROPERTY = "mqproof.metrics";

  private static final double NANOS = 1e9;
  private static final double[] QUANTILES = {0.5, 0.95, 0.99, 0.999};

  /** Longer than Prometheus usually takes to come again. */
  private static final long LINGER_SECONDS = 20;

  private final HttpServer server;
  private final Supplier<Moment> moment;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread one = new Thread(task, "metrics");
            one.setDaemon(true); // a trial that failed must not keep the JVM alive
            return one;
          });
  private final CountDownLatch verdictSeen = new CountDownLatch(1);
  private volatile boolean asked;

  /**
   * One moment.
   *
   * @param labels what it measures, by name
   * @param confirmed messages
   * @param received messages
   * @param backlog messages handed to senders and not received yet; null where no one process knows
   * @param failedSends messages whose send failed
   * @param measuring whether a measured iteration runs
   * @param latencies of the last seconds; those without a sample are left out
   * @param verdict once there is one
   */
  public record Moment(
      Map<String, String> labels,
      long confirmed,
      long received,
      @Nullable Long backlog,
      long failedSends,
      boolean measuring,
      Map<Timeline.Kind, Distribution> latencies,
      @Nullable Verdict verdict) {}

  private LiveMetrics(InetSocketAddress address, Supplier<Moment> moment) throws IOException {
    this.moment = moment;
    server = HttpServer.create(address, 0);
    server.setExecutor(thread);
    server.createContext(
        "/metrics",
        exchange -> {
          asked = true;
          Moment now = moment.get();
          byte[] text = text(now).getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
          exchange.sendResponseHeaders(200, text.length);
          try (var body = exchange.getResponseBody()) {
            body.write(text);
          }
          if (now.verdict() != null) {
            verdictSeen.countDown();
          }
        });
    server.start();
  }

  /**
   * Where this JVM was told to serve; empty for nowhere.
   *
   * @throws IllegalArgumentException with one sentence if that names no port
   */
  public static String asked() {
    String where = System.getProperty(PROPERTY, "");
    if (!where.isEmpty()) {
      var unused = address(where);
    }
    return where;
  }

  /** An option for a fork's JVM, if this one was told to serve. */
  public static List<String> jvmArgs() {
    String where = asked();
    return where.isEmpty() ? List.of() : List.of("-D" + PROPERTY + "=" + where);
  }

  /**
   * Serves, if that was asked for.
   *
   * @param where as of {@link #asked}
   * @throws IOException if the port is not free
   * @throws IllegalArgumentException with one sentence if it names no port
   */
  public static @Nullable LiveMetrics at(String where, Supplier<Moment> moment) throws IOException {
    return where.isEmpty() ? null : new LiveMetrics(address(where), moment);
  }

  private static InetSocketAddress address(String where) {
    int colon = where.lastIndexOf(':');
    try {
      int port = Integer.parseInt(where.substring(colon + 1));
      return colon < 0
          ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
          : new InetSocketAddress(where.substring(0, colon), port);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s cannot be '%s': it takes PORT or ADDRESS:PORT".formatted(PROPERTY, where), e);
    }
  }

  /** The port, also where any was asked for. */
  int port() {
    return server.getAddress().getPort();
  }

  /** A moment in Prometheus' text format. */
  static String text(Moment moment) {
    String labels =
        String.join(
            ",",
            moment.labels().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(label -> label.getKey() + "=\"" + escaped(label.getValue()) + '"')
                .toList());
    Text text = new Text(new StringBuilder(), labels);
    text.family("mqproof_messages_confirmed_total", "counter", "Messages confirmed.");
    text.sample("", (double) moment.confirmed());
    text.family("mqproof_messages_received_total", "counter", "Messages received.");
    text.sample("", (double) moment.received());
    text.family("mqproof_messages_failed_total", "counter", "Messages whose send failed.");
    text.sample("", (double) moment.failedSends());
    Long backlog = moment.backlog();
    if (backlog != null) {
      text.family("mqproof_backlog_messages", "gauge", "Messages sent and not received yet.");
      text.sample("", (double) backlog);
    }
    text.family("mqproof_measuring", "gauge", "1 while a measured iteration runs, else 0.");
    text.sample("", moment.measuring() ? 1 : 0);
    moment
        .latencies()
        .forEach(
            (kind, times) -> {
              if (times.count() > 0) {
                text.family(name(kind), "summary", "Of the last seconds, in seconds.");
                for (double quantile : QUANTILES) {
                  text.sample(
                      "quantile=\"" + quantile + '"', times.atPercentile(100 * quantile) / NANOS);
                }
              }
            });
    Verdict verdict = moment.verdict();
    if (verdict != null) {
      text.family(
          "mqproof_verdict_messages", "gauge", "What the ledger proved, once the queue is empty.");
      text.sample("outcome=\"confirmed\"", (double) verdict.confirmed());
      text.sample("outcome=\"lost\"", (double) verdict.lost());
      text.sample("outcome=\"unverified\"", (double) verdict.unverified());
      text.sample("outcome=\"duplicated\"", (double) verdict.duplicated());
      text.sample("outcome=\"unexpected\"", (double) verdict.unexpected());
      text.sample("outcome=\"recovered\"", (double) verdict.recovered());
      text.sample("outcome=\"corrupt\"", (double) verdict.corrupt());
    }
    return text.to().toString();
  }

  static String name(Timeline.Kind kind) {
    return "mqproof_" + kind.name().toLowerCase(Locale.ROOT) + "_latency_seconds";
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static final class Text {
    private final StringBuilder to;
    private final String labels;
    private String name = "";

    Text(StringBuilder to, String labels) {
      this.to = to;
      this.labels = labels;
    }

    void family(String name, String type, String help) {
      this.name = name;
      to.append("# HELP ").append(name).append(' ').append(help).append('\n');
      to.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    void sample(String label, double value) {
      String all = labels.isEmpty() || label.isEmpty() ? labels + label : labels + "," + label;
      to.append(name).append(all.isEmpty() ? "" : "{" + all + "}").append(' ');
      to.append(value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value));
      to.append('\n');
    }

    StringBuilder to() {
      return to;
    }
  }

  /**
   * Ends; if there is a verdict and somebody asked before, they may come once more for it, for a
   * bounded time.
   */
  @Override
  public void close() {
    try {
      if (asked && moment.get().verdict() != null) {
        var unused = verdictSeen.await(LINGER_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      server.stop(0);
      thread.shutdownNow();
    }
  }
}
