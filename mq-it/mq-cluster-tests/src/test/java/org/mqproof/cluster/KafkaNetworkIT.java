package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** What faults of the network do to a real three-node Kafka. */
class KafkaNetworkIT extends KafkaLinksTests {

  private static final Duration SHORT = Duration.ofSeconds(6);

  @Override
  Cluster startCluster() {
    return TestCluster.start(
        TestCluster.runnable("kafka"), Map.of(ClusterProvider.NETWORK_PROPERTY, "true"));
  }

  /** It still believes that it leads, and confirms nothing. */
  @Override
  void whileIsolated(int leader) {
    numbersWithout(leader).forEach(cluster()::cut);
    assertTimesOut(messages());
  }

  @Test
  void aLeaderThatNoClientReachesGoesOnLeading() throws Exception {
    messages().produce(10);
    long before = messages().endOffset();
    int leader = cluster().leader(QUEUE);

    cluster().cut(leader);

    assertThat(cluster().leader(QUEUE)).isEqualTo(leader);
    assertThat(others(leader).inSync()).isEqualTo(3);
    assertTimesOut(others(leader));
    cluster().heal();
    messages().produce(1);
    assertThat(messages().endOffset()).isGreaterThan(before);
  }

  @Test
  void clientsThatWereCutOffFromAllNodesComeBack() throws Exception {
    messages().produce(10);
    long before = messages().endOffset();

    cluster().cutAll();

    assertTimesOut(messages());
    assertThatThrownBy(() -> cluster().leader(QUEUE)).isInstanceOf(ClusterException.class);
    cluster().heal();
    assertThat(messages().endOffset()).isEqualTo(before);
    messages().produce(1);
  }

  @Test
  void whatIsCutOffCannotBeCutOffAgain() {
    cluster().cutAll();

    assertThatThrownBy(() -> cluster().cut(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cluster().cutAll()).isInstanceOf(IllegalStateException.class);
  }

  private static void assertTimesOut(KafkaMessages unconfirmed) {
    assertThatThrownBy(() -> unconfirmed.produce(1, SHORT))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
  }
}
