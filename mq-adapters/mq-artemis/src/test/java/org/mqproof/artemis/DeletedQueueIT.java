package org.mqproof.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** Artemis tells a receiver that its queue is gone, and the receiver tells its user. */
@Timeout(60)
class DeletedQueueIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("artemis");

  @Test
  void aReceiverWhoseQueueIsDeletedFailsAndNamesTheQueue() {
    String queue = "deleted-" + Long.toHexString(System.nanoTime());
    try (Mq mq = MqProvider.named("artemis").connect(CLUSTER.settings())) {
      mq.createQueue(queue);
      try (Receiver receiver = mq.receiver(queue)) {
        mq.deleteQueue(queue);
        assertThatExceptionOfType(MqException.class)
            .isThrownBy(() -> receiveUntilItFails(receiver))
            .withMessageContaining(queue)
            .withMessageContaining("was deleted");
      }
    }
  }

  private static void receiveUntilItFails(Receiver receiver) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
      List<Delivery> received = receiver.receive(1, Duration.ofMillis(100));
      assertThat(received).isEmpty();
    }
  }
}
