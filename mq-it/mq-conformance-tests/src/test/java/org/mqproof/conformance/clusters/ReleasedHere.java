package org.mqproof.conformance.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Access;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/**
 * Who gets what a receiver of mq-jms releases, which no rule asks for: that receiver alone, until
 * it closes.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(
    value = "org.mqproof.conformance.threads-and-sockets",
    mode = ResourceAccessMode.READ,
    target = ResourceLockTarget.CHILDREN)
@Timeout(600)
abstract class ReleasedHere {

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final TestCluster cluster;

  ReleasedHere(TestCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  @DisplayName("a released message comes again here, and elsewhere when its receiver is closed")
  void releasedMessage() throws Exception {
    String queue = "released-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = new HashMap<>(cluster.settings(Access.PASSWORD));
    settings.putAll(ClusterConformance.PATIENT);
    try (Mq mq = MqProvider.named(cluster.system()).connect(settings)) {
      mq.createQueue(queue);
      Receiver receiver = mq.receiver(queue);
      try (Sender sender = mq.sender(queue)) {
        sender.send(List.of(new Message(new byte[1]), new Message(new byte[2])));
      }
      List<Delivery> first = receive(receiver, 2);
      receiver.release(first.subList(0, 1)).get(BOUND.toSeconds(), TimeUnit.SECONDS);
      try (Receiver other = mq.receiver(queue)) {
        assertThat(other.receive(2, Duration.ofMillis(500))).isEmpty();
        List<Delivery> again = receive(receiver, 1);
        assertThat(again.get(0).message().body()).hasSize(1);
        receiver.ack(first.subList(1, 2)).get(BOUND.toSeconds(), TimeUnit.SECONDS);
        receiver.release(again).get(BOUND.toSeconds(), TimeUnit.SECONDS);
        receiver.close();

        List<Delivery> elsewhere = receive(other, 1);
        assertThat(elsewhere.get(0).message().body()).hasSize(1);
        other.ack(elsewhere).get(BOUND.toSeconds(), TimeUnit.SECONDS);
      }
      mq.deleteQueue(queue);
    }
  }

  private static List<Delivery> receive(Receiver receiver, int count) throws Exception {
    List<Delivery> all = new ArrayList<>();
    long start = System.nanoTime();
    while (all.size() < count && System.nanoTime() - start < BOUND.toNanos()) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    assertThat(all).hasSize(count);
    return all;
  }
}
