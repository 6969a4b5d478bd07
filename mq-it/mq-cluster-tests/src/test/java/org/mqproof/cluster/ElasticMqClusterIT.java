package org.mqproof.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.sqs.ElasticMqClusterProvider;

/** The verbs of a real ElasticMQ, each seen to take effect. */
class ElasticMqClusterIT {

  private static final String QUEUE = "verbs";
  private static final Pattern BODY = Pattern.compile("\"Body\"\\s*:\\s*\"([^\"]+)\"");

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    long startedAt = System.nanoTime();
    cluster = TestCluster.runnable("sqs").start(Tuning.FAST);
    System.out.printf("%s started in %d ms%n", cluster, millisSince(startedAt));
    call("CreateQueue", "{\"QueueName\":\"%s\"}".formatted(QUEUE));
    // It answers before the queue is on disk; a message of it is there after it.
    send("first");
    call("PurgeQueue", "{%s}".formatted(queueUrl()));
  }

  @AfterEach
  void heal() {
    cluster.heal();
  }

  @AfterAll
  static void close() {
    if (cluster == null) {
      return; // skipped
    }
    ProcessHandle process = cluster.process(1);
    Path directory = cluster.directory();
    assertThat(cluster.nodes()).isEqualTo(1);
    assertThat(process.isAlive()).isTrue();

    cluster.close();
    cluster.close();

    assertThat(process.isAlive()).isFalse();
    assertThat(directory).doesNotExist();
    assertThat(DockerThings.of(directory)).isEmpty();
    assertThatThrownBy(() -> cluster.heal())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the cluster is closed");
  }

  @Test
  void queuesAndMessagesOutliveTheDeathOfTheNode() throws Exception {
    Set<String> sent = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      send("outlives-" + i);
      sent.add("outlives-" + i);
    }

    cluster.killAll();

    assertThat(cluster.process(1).isAlive()).isFalse();
    assertThatIOException().isThrownBy(() -> send("to the dead"));
    long restartedAt = System.nanoTime();
    cluster.restart(1);
    System.out.printf("ready %d ms after its restart%n", millisSince(restartedAt));
    assertThat(receiveAll(50)).containsExactlyInAnyOrderElementsOf(sent);
  }

  @Test
  void aPausedNodeAnswersNothingUntilItGoesOn() throws Exception {
    cluster.pause(1);

    assertThatThrownBy(() -> send("to the paused")).isInstanceOf(SocketTimeoutException.class);
    assertThat(cluster.process(1).isAlive()).isTrue();

    cluster.resume(1);
    cluster.heal();
    send("after");
    assertThat(receiveAll(1)).contains("after");
  }

  @Test
  void aNodeThatCannotStartSaysWhy() throws Exception {
    Path configuration = cluster.directory().resolve("node-1/elasticmq.conf");
    String good = Files.readString(configuration);
    cluster.kill(1);
    Files.writeString(configuration, good + "rest-sqs.sqs-limits = none\n");

    try {
      assertThatThrownBy(() -> cluster.restart(1))
          .isInstanceOf(ClusterException.class)
          .hasMessageStartingWith("node 1 of ElasticMQ " + cluster.version() + " died:")
          .hasMessageContaining("sqs-limits");
    } finally {
      Files.writeString(configuration, good);
    }
  }

  @Test
  void aFaultThatWouldNotTakeEffectIsAnError() {
    cluster.kill(1);

    assertThatThrownBy(() -> cluster.kill(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.pause(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.resume(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster.kill(2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aVersionThatDoesNotExistIsAClearError() {
    assertThatThrownBy(
            () ->
                TestCluster.start(
                    TestCluster.runnable("sqs"),
                    Map.of(ElasticMqClusterProvider.VERSION_PROPERTY, "0.0.0")))
        .isInstanceOf(ClusterException.class)
        .hasMessageStartingWith("cannot resolve ElasticMQ 0.0.0 from Maven Central: ");
  }

  private static void send(String body) throws IOException {
    call("SendMessage", "{%s,\"MessageBody\":\"%s\"}".formatted(queueUrl(), body));
  }

  /** At least so many, within a minute. */
  private static Set<String> receiveAll(int count) throws IOException {
    Set<String> bodies = new HashSet<>();
    long startedAt = System.nanoTime();
    while (bodies.size() < count && millisSince(startedAt) < 60_000) {
      String answer =
          call(
              "ReceiveMessage",
              "{%s,\"MaxNumberOfMessages\":10,\"WaitTimeSeconds\":1}".formatted(queueUrl()));
      Matcher body = BODY.matcher(answer);
      while (body.find()) {
        bodies.add(body.group(1));
      }
    }
    return bodies;
  }

  private static String queueUrl() {
    return "\"QueueUrl\":\"%s/000000000000/%s\"".formatted(endpoint(), QUEUE);
  }

  private static String call(String action, String json) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(endpoint()).toURL().openConnection();
    try {
      connection.setConnectTimeout(30_000);
      connection.setReadTimeout(30_000);
      connection.setDoOutput(true);
      connection.setRequestMethod("POST");
      connection.setRequestProperty("Content-Type", "application/x-amz-json-1.0");
      connection.setRequestProperty("X-Amz-Target", "AmazonSQS." + action);
      connection.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8));
      try (InputStream answer = connection.getInputStream()) {
        return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
      }
    } finally {
      connection.disconnect();
    }
  }

  private static String endpoint() {
    return requireNonNull(cluster.settings().get("endpoint"));
  }

  private static long millisSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
