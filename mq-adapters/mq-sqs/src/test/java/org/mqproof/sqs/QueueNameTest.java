package org.mqproof.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QueueNameTest {

  @Test
  void aNameThatSqsAllowsStays() {
    for (String name : List.of("orders", "A_z-9", "x".repeat(80))) {
      assertThat(QueueName.atSqs(name)).isEqualTo(name);
    }
  }

  @Test
  void everyOtherNameIsHashedAndNoTwoAreTheSame() {
    List<String> hashed =
        Stream.of("a.b", "a_b.", "orders.fifos", "x".repeat(81), "x".repeat(200), "...")
            .map(QueueName::atSqs)
            .toList();
    assertThat(hashed)
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("mqproof-sha256-[0-9a-f]{64}"));
    // Nobody takes the name of another queue's hash for his own.
    assertThat(QueueName.atSqs(hashed.get(0))).isNotEqualTo(hashed.get(0));
  }

  /** Hashed it would be a standard queue beside the one that is meant. */
  @Test
  void theNameOfAFifoQueueIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QueueName.atSqs("orders.fifo"))
        .withMessageContaining("orders.fifo")
        .withMessageContaining("FIFO");
  }

  @Test
  void whatIsNoNameIsRefused() {
    for (String name : List.of("", ".", "..", "a b", "ü", "x".repeat(201))) {
      assertThatIllegalArgumentException().isThrownBy(() -> QueueName.atSqs(name));
    }
  }
}
