package org.mqproof.cluster.nats;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.ClusterInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.mqproof.cluster.process.ClusterHome;

/**
 * Asks a NATS cluster how it is, with new connections each time so that no answer is an old one.
 * Thread-safe: no state but the addresses. A call ends within 20 s.
 */
final class NatsProbe {

  private static final String STREAM = "mqproof-ready";
  private static final Duration CONNECT_BOUND = Duration.ofSeconds(2);
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(3);

  private final ClusterHome home;
  private final String password;

  NatsProbe(ClusterHome home, String password) {
    this.home = home;
    this.password = password;
  }

  private interface Question<T> {
    T ask(Connection connection) throws IOException, JetStreamApiException;
  }

  private <T> T ask(int node, Question<T> question)
      throws IOException, JetStreamApiException, InterruptedException {
    Options options =
        new Options.Builder()
            .server("nats://" + NatsNodes.address(home, node))
            .userInfo(NatsNodes.USER.toCharArray(), password.toCharArray())
            .connectionTimeout(CONNECT_BOUND)
            .noReconnect()
            .errorListener(new ErrorListener() {}) // else it logs
            .build();
    Connection connection = Nats.connect(options);
    try {
      return question.ask(connection);
    } finally {
      connection.close();
    }
  }

  private static JetStreamManagement management(Connection connection) throws IOException {
    return connection.jetStreamManagement(
        JetStreamOptions.builder().requestTimeout(ANSWER_BOUND).build());
  }

  /**
   * The node that leads the stream of a queue, as the first node says that knows.
   *
   * @return empty if no node that runs says so
   */
  OptionalInt leader(String queue) {
    String stream = queue.replace('.', '~'); // as mq-nats names it
    return home.reachable().stream()
        .filter(node -> home.node(node).isRunning())
        .map(node -> leader(stream, node))
        .filter(OptionalInt::isPresent)
        .findFirst()
        .orElseGet(OptionalInt::empty);
  }

  /** Nothing if the node starts, was just killed, or knows no leader. */
  private OptionalInt leader(String stream, int asked) {
    try {
      ClusterInfo cluster =
          ask(asked, connection -> management(connection).getStreamInfo(stream).getClusterInfo());
      String leader = cluster == null ? null : cluster.getLeader();
      return IntStream.rangeClosed(1, NatsNodes.COUNT)
          .filter(number -> NatsNodes.name(number).equals(leader))
          .findFirst();
    } catch (IOException | JetStreamApiException e) {
      return OptionalInt.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
  }

  /**
   * Asks each node whether all that it has is up to date, then has every node store something.
   *
   * @return what is not as it should be; empty if the cluster is ready
   */
  List<String> notReady() throws InterruptedException {
    List<String> problems = new ArrayList<>();
    for (int node = 1; node <= NatsNodes.COUNT; node++) {
      try {
        HttpResponse<String> health =
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(URI.create(NatsNodes.health(home, node)))
                        .timeout(ANSWER_BOUND)
                        .build(),
                    HttpResponse.BodyHandlers.ofString());
        if (health.statusCode() != 200) {
          problems.add("node %d: %s".formatted(node, health.body().strip()));
        }
      } catch (IOException e) {
        problems.add("node %d: %s".formatted(node, e));
      }
    }
    if (problems.isEmpty()) {
      try {
        problems.addAll(ask(1, NatsProbe::notInSync));
      } catch (IOException | JetStreamApiException e) {
        problems.add("node 1: " + e.getMessage());
      }
    }
    return problems;
  }

  private static List<String> notInSync(Connection connection)
      throws IOException, JetStreamApiException {
    JetStreamManagement management = management(connection);
    StreamInfo unused =
        management.addStream( // or finds that it is there
            StreamConfiguration.builder()
                .name(STREAM)
                .subjects(STREAM)
                .replicas(NatsNodes.COUNT)
                .maxMessages(1)
                .build());
    PublishAck stored = management.jetStream().publish(STREAM, new byte[1]);
    ClusterInfo cluster = management.getStreamInfo(STREAM).getClusterInfo();
    if (cluster == null || cluster.getReplicas().size() != NatsNodes.COUNT - 1) {
      return List.of("%s, message %d: %s".formatted(STREAM, stored.getSeqno(), cluster));
    }
    return cluster.getReplicas().stream()
        .filter(replica -> !replica.isCurrent() || replica.isOffline())
        .map(replica -> "%s is not in sync".formatted(replica.getName()))
        .toList();
  }
}
