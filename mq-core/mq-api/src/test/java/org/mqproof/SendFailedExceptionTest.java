package org.mqproof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class SendFailedExceptionTest {

  @Test
  void countsTheOutcomesInItsText() {
    SendFailedException failure =
        new SendFailedException(
            "kafka at 127.0.0.1:9092 refused a batch",
            List.of(Outcome.CONFIRMED, Outcome.REJECTED, Outcome.UNKNOWN, Outcome.CONFIRMED),
            null);

    assertThat(failure)
        .hasMessage(
            "kafka at 127.0.0.1:9092 refused a batch"
                + " (of 4 messages 2 confirmed, 1 rejected, 1 unknown)");
    assertThat(failure.outcomes()).hasSize(4);
  }

  @Test
  void cannotBeMadeWhenEveryMessageWasConfirmed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SendFailedException("odd", List.of(Outcome.CONFIRMED), null));
  }

  /** As when it crosses from one JVM to another. */
  @Test
  void keepsItsOutcomesWhenItIsWrittenAndRead() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(
          new SendFailedException("odd", List.of(Outcome.CONFIRMED, Outcome.UNKNOWN), null));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      SendFailedException read = (SendFailedException) in.readObject();

      assertThat(read.outcomes()).containsExactly(Outcome.CONFIRMED, Outcome.UNKNOWN);
    }
  }
}
