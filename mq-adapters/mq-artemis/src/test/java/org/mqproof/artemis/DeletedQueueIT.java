package org.mqproof.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.spi.MqProvider;

/** Artemis tells a receiver that its queue is gone, and the receiver tells its user. */
@ExtendWith(TestCluster.class)
@Timeout(60)
class DeletedQueueIT {

  @Test
  void aReceiverWhoseQueueIsDeletedFailsAndNamesTheQueue() {
    String queue = "deleted-" + Long.toHexString(System.nanoTime());
    try (Mq mq = MqProvider.named("artemis").connect(TestCluster.settings())) {
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
