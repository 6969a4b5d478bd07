package org.mqproof.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.mqproof.spi.Settings;

class QueuePromiseTest {

  private static final NatsSettings SETTINGS =
      new NatsSettings(
          Settings.of(new NatsMqProvider(), Map.of("claim.period", "20s", "replicas", "3")));

  private static List<String> broken(
      UnaryOperator<StreamConfiguration.Builder> stream,
      UnaryOperator<ConsumerConfiguration.Builder> consumer) {
    return QueuePromise.broken(
        SETTINGS,
        stream
            .apply(
                StreamConfiguration.builder()
                    .name("q")
                    .subjects("q")
                    .retentionPolicy(RetentionPolicy.WorkQueue)
                    .storageType(StorageType.File)
                    .discardPolicy(DiscardPolicy.New)
                    .replicas(3))
            .build(),
        consumer
            .apply(
                ConsumerConfiguration.builder()
                    .durable("c")
                    .ackPolicy(AckPolicy.Explicit)
                    .ackWait(Duration.ofSeconds(25))
                    .maxAckPending(100_000))
            .build());
  }

  private static List<String> stream(UnaryOperator<StreamConfiguration.Builder> change) {
    return broken(change, same -> same);
  }

  private static List<String> consumer(UnaryOperator<ConsumerConfiguration.Builder> change) {
    return broken(same -> same, change);
  }

  @Test
  void whatIsMadeHereIsKept() {
    assertThat(broken(same -> same, same -> same)).isEmpty();
  }

  @Test
  void aStreamThatLosesMessagesIsNamed() {
    assertThat(stream(s -> s.maxAge(Duration.ofHours(1))))
        .containsExactly("max_age is 3600000 ms, must be 0");
    assertThat(stream(s -> s.maxMessages(10))).containsExactly("max_msgs is 10, must be -1");
    assertThat(stream(s -> s.maxBytes(10))).containsExactly("max_bytes is 10, must be -1");
    assertThat(stream(s -> s.discardPolicy(DiscardPolicy.Old)))
        .containsExactly("discard is old, must be new");
    assertThat(stream(s -> s.storageType(StorageType.Memory)))
        .containsExactly("storage is memory, must be file");
    assertThat(stream(s -> s.retentionPolicy(RetentionPolicy.Limits)))
        .containsExactly("retention is limits, must be workqueue");
    assertThat(stream(s -> s.replicas(1))).containsExactly("num_replicas is 1, must be at least 3");
    assertThat(stream(s -> s.replicas(5))).isEmpty();
  }

  @Test
  void aConsumerThatKeepsOtherPromisesIsNamed() {
    assertThat(consumer(c -> c.maxDeliver(5))).containsExactly("max_deliver is 5, must be -1");
    assertThat(consumer(c -> c.ackWait(Duration.ofSeconds(30))))
        .containsExactly("ack_wait is 30000 ms, must be 25000 ms for claim.period=20000 ms");
    assertThat(consumer(c -> c.maxAckPending(200_000)))
        .containsExactly("max_ack_pending is 200000, must be from 1 to 100000");
    assertThat(consumer(c -> c.inactiveThreshold(Duration.ofSeconds(5))))
        .containsExactly("inactive_threshold is 5000 ms, must be 0");
    assertThat(consumer(c -> c.ackPolicy(AckPolicy.All)))
        .containsExactly("ack_policy is all, must be explicit");
  }
}
