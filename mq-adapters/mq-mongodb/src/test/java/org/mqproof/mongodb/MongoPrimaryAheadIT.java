package org.mqproof.mongodb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterException;
import org.mqproof.cluster.TestCluster;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;

/**
 * What each write concern lets a primary confirm that nobody else has: both secondaries die, a
 * batch is sent, the primary dies, and the others are back before it. Then it has to give up what
 * only it had.
 */
@Tag("full")
class MongoPrimaryAheadIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration SILENCE = Duration.ofSeconds(3);
  private static final int MESSAGES = 10;

  private static Cluster cluster;

  @BeforeAll
  static void startCluster() {
    // A primary that is alone goes on for the ten seconds of MongoDB's own default.
    cluster = TestCluster.runnable("mongodb").start(Tuning.DEFAULT);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @DisplayName("write.concern=w1 confirms what dies with the primary")
  void w1LosesWhatOnlyThePrimaryHad() throws Exception {
    Seen seen = sendWhileThePrimaryIsAlone("w1");

    assertThat(seen.outcomes()).containsOnly(Outcome.CONFIRMED);
    assertThat(seen.received()).containsExactlyInAnyOrderElementsOf(bodies("replicated"));
  }

  @Test
  @DisplayName("write.concern=majority does not confirm it")
  void majorityConfirmsNothingThatOnlyThePrimaryHas() throws Exception {
    Seen seen = sendWhileThePrimaryIsAlone("majority");

    assertThat(seen.outcomes()).containsOnly(Outcome.UNKNOWN);
    assertThat(seen.received()).containsExactlyInAnyOrderElementsOf(bodies("replicated"));
  }

  /** What became of the messages that were sent while the primary was alone, and what came. */
  private record Seen(List<Outcome> outcomes, List<String> received) {}

  private static Seen sendWhileThePrimaryIsAlone(String concern) throws Exception {
    cluster.heal();
    Map<String, String> settings = new HashMap<>(cluster.settings());
    settings.putAll(Map.of("write.concern", concern, "call.bound", "4s", "connect.bound", "1s"));
    String queue = "ahead-" + concern;
    try (Mq mq = MqProvider.named("mongodb").connect(settings)) {
      mq.createQueue(queue);
      int primary = cluster.leader(queue);
      List<Integer> secondaries =
          IntStream.rangeClosed(1, cluster.nodes())
              .filter(node -> node != primary)
              .boxed()
              .toList();
      List<Outcome> outcomes;
      try (Sender sender = mq.sender(queue)) {
        sender.send(messages("replicated"));
        cluster.heal(); // returns when the secondaries have it
        secondaries.forEach(cluster::kill);
        outcomes = outcomes(sender, messages("ahead"));
      }
      cluster.kill(primary);
      secondaries.forEach(MongoPrimaryAheadIT::start);
      awaitAnotherPrimary(queue, primary);
      cluster.heal();
      List<String> received = receiveAll(mq, queue);
      mq.deleteQueue(queue);
      return new Seen(outcomes, received);
    }
  }

  private static List<Outcome> outcomes(Sender sender, List<Message> batch)
      throws InterruptedException {
    try {
      sender.send(batch);
      return List.of(Outcome.CONFIRMED);
    } catch (SendFailedException e) {
      return e.outcomes();
    }
  }

  private static void start(int node) {
    // It runs by then; that the cluster is not in sync is the point.
    assertThatExceptionOfType(ClusterException.class).isThrownBy(() -> cluster.restart(node));
    assertThat(cluster.process(node).isAlive()).as("node %d lives", node).isTrue();
  }

  private static void awaitAnotherPrimary(String queue, int primary) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    int elected = primary;
    while (elected == primary && System.nanoTime() - deadline < 0) {
      try {
        elected = cluster.leader(queue); // waits for one
      } catch (ClusterException e) {
        elected = primary; // nobody is it yet
      }
    }
    assertThat(elected).as("the primary after node %d", primary).isNotEqualTo(primary);
  }

  private static List<String> receiveAll(Mq mq, String queue) throws Exception {
    List<String> bodies = new ArrayList<>();
    try (Receiver receiver = mq.receiver(queue)) {
      List<Delivery> batch = receiver.receive(100, PATIENCE);
      while (!batch.isEmpty()) {
        batch.forEach(delivery -> bodies.add(new String(delivery.message().body(), UTF_8)));
        receiver.ack(batch).get();
        batch = receiver.receive(100, SILENCE);
      }
    }
    return bodies;
  }

  private static List<Message> messages(String name) {
    return bodies(name).stream().map(body -> new Message(body.getBytes(UTF_8))).toList();
  }

  private static List<String> bodies(String name) {
    return IntStream.range(0, MESSAGES).mapToObj(i -> name + "-" + i).toList();
  }
}
