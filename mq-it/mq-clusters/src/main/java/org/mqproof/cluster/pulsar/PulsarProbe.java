package org.mqproof.cluster.pulsar;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SizeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.process.ClusterHome;

/**
 * Asks a Pulsar cluster how it is, with new connections each time so that no answer is an old one.
 * Thread-safe: no state but the ports. Every call ends within some 20 s.
 */
final class PulsarProbe {

  /** Everything in it is stored by all three bookies, or it is not confirmed. */
  private static final String NAMESPACE = "public/mqproof-ready";

  private static final String PERSISTENCE =
      "{\"persistence\":{\"bookkeeperEnsemble\":3,\"bookkeeperWriteQuorum\":3,"
          + "\"bookkeeperAckQuorum\":3,\"managedLedgerMaxMarkDeleteRate\":0}}";

  private static final int REQUEST_MILLIS = 5_000;
  private static final int MOST_REDIRECTS = 3;
  private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");
  private static final Pattern BROKER_URL =
      Pattern.compile("\"brokerUrl\"\\s*:\\s*\"[^\"]*:(\\d+)\"");

  private final ClusterHome home;

  PulsarProbe(ClusterHome home) {
    this.home = home;
  }

  /**
   * The node whose broker owns a queue's topic.
   *
   * @param node the one to ask
   * @return empty if it does not know
   */
  OptionalInt owner(String queue, int node) {
    try {
      for (String namespace : strings(get(node, "/admin/v2/namespaces/public"))) {
        for (String topic : strings(get(node, "/admin/v2/persistent/" + namespace))) {
          if (topic.endsWith("/" + queue)) {
            String lookup = get(node, "/lookup/v2/topic/" + topic.replace("://", "/"));
            return OptionalInt.of(brokerOf(lookup));
          }
        }
      }
      return OptionalInt.empty();
    } catch (IOException e) {
      return OptionalInt.empty(); // it is not ready; another node may know
    }
  }

  private int brokerOf(String lookup) throws IOException {
    Matcher url = BROKER_URL.matcher(lookup);
    if (url.find()) {
      int port = Integer.parseInt(url.group(1));
      for (int node = 1; node <= PulsarNodes.COUNT; node++) {
        if (PulsarNodes.brokerPort(home, node) == port) {
          return node;
        }
      }
    }
    throw new IOException("no broker in " + lookup);
  }

  /**
   * Asks every broker whether it is ready and sees the others, then has a message stored by every
   * bookie.
   *
   * @return what is not as it should be; empty if the cluster is ready
   */
  List<String> notReady() throws InterruptedException {
    try {
      for (int node = 1; node <= PulsarNodes.COUNT; node++) {
        String unused = get(node, "/admin/v2/brokers/ready");
        int seen = strings(get(node, "/admin/v2/brokers")).size();
        if (seen < PulsarNodes.COUNT) {
          return List.of("node %d sees %d of %d brokers".formatted(node, seen, PulsarNodes.COUNT));
        }
      }
      String unused =
          request(
              "PUT",
              PulsarNodes.webPort(home, 1),
              "/admin/v2/namespaces/" + NAMESPACE,
              PERSISTENCE);
      produce();
      return List.of();
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  private void produce() throws IOException {
    try (PulsarClient client =
            PulsarClient.builder()
                .serviceUrl(PulsarNodes.serviceUrl(home))
                .operationTimeout(REQUEST_MILLIS, TimeUnit.MILLISECONDS)
                .connectionTimeout(REQUEST_MILLIS, TimeUnit.MILLISECONDS)
                .ioThreads(1)
                .memoryLimit(1, SizeUnit.MEGA_BYTES)
                .build();
        Producer<byte[]> producer =
            client
                .newProducer()
                .topic("persistent://" + NAMESPACE + "/ready-" + System.nanoTime())
                .sendTimeout(REQUEST_MILLIS, TimeUnit.MILLISECONDS)
                .create()) {
      Object unused = producer.send(new byte[0]);
    } catch (PulsarClientException e) {
      throw new IOException("a message is not stored by every bookie: " + e, e);
    }
  }

  private String get(int node, String path) throws IOException {
    return request("GET", PulsarNodes.webPort(home, node), path, null);
  }

  private static String request(String method, int port, String path, @Nullable String body)
      throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      try {
        connection.setRequestMethod(method);
        connection.setConnectTimeout(REQUEST_MILLIS);
        connection.setReadTimeout(REQUEST_MILLIS);
        connection.setInstanceFollowRedirects(false); // it would follow only what it thinks safe
        if (body != null) {
          connection.setDoOutput(true);
          connection.setRequestProperty("Content-Type", "application/json");
          try (OutputStream out = connection.getOutputStream()) {
            out.write(body.getBytes(StandardCharsets.UTF_8));
          }
        }
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_CONFLICT) {
          return ""; // it is there already
        }
        String location = connection.getHeaderField("Location");
        if (status / 100 == 3 && location != null) {
          uri = URI.create(location);
          continue;
        }
        try (InputStream in = connection.getInputStream()) {
          return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
      } finally {
        connection.disconnect();
      }
    }
    throw new IOException("too many redirects, the last to " + uri);
  }

  private static List<String> strings(String json) {
    return STRING.matcher(json).results().map(match -> match.group(1)).toList();
  }
}
