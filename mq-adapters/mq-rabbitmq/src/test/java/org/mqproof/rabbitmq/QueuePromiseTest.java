package org.mqproof.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mqproof.rabbitmq.QueuePromise.Difference;

class QueuePromiseTest {

  private static Difference difference(String said) {
    return Difference.of(
            "RabbitMQ at a:1: cannot create queue q: PRECONDITION_FAILED - inequivalent arg "
                + said.formatted("for queue 'q' in vhost '/'"))
        .orElseThrow();
  }

  @Test
  void anArgumentThatDropsMessagesIsNamedWithItsValue() {
    Difference full =
        difference(
            "'x-max-length' %s: received none but current is the value '10' of type 'signedint'");

    assertThat(full).hasToString("x-max-length is 10, must be none");
    assertThat(full.loses()).isTrue();
  }

  @Test
  void aQueueThatIsInMemoryAloneIsRefused() {
    Difference memory = difference("'durable' %s: received 'true' but current is 'false'");

    assertThat(memory).hasToString("durable is false, must be true");
    assertThat(memory.loses()).isTrue();
  }

  @Test
  void aTypeIsRefusedWhereTheSettingsAskForAnother() {
    String is = "but current is the value 'quorum' of type 'longstr'";

    assertThat(difference("'x-queue-type' %s: received none " + is).loses()).isFalse();
    assertThat(
            difference("'x-queue-type' %s: received the value 'classic' of type 'longstr' " + is)
                .loses())
        .isTrue();
  }

  @Test
  void whatLosesNothingIsTaken() {
    assertThat(
            difference(
                    "'x-max-priority' %s: received none but current is the value '5' of type"
                        + " 'signedint'")
                .loses())
        .isFalse();
    assertThat(Difference.of("RESOURCE_LOCKED - cannot obtain exclusive access")).isEmpty();
  }
}
