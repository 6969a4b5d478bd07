package org.mqproof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckFailedExceptionTest {

  @Test
  void countsTheOutcomesInItsText() {
    assertThat(
            new AckFailedException(
                "memory refused an ack", List.of(Outcome.CONFIRMED, Outcome.REJECTED), null))
        .hasMessage("memory refused an ack (of 2 deliveries 1 confirmed, 1 rejected, 0 unknown)");
  }

  @Test
  void cannotBeMadeWhenEveryDeliveryWasSettled() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new AckFailedException("odd", List.of(Outcome.CONFIRMED), null));
  }

  @Test
  void keepsItsOutcomesWhenItIsWrittenAndRead() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new AckFailedException("odd", List.of(Outcome.UNKNOWN), null));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(((AckFailedException) in.readObject()).outcomes())
          .containsExactly(Outcome.UNKNOWN);
    }
  }
}
