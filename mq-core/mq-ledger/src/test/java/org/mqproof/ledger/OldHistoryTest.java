package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mqproof.Ordering;

/** A file in version 1 of the format, written by the last program that wrote that version. */
class OldHistoryTest {

  private final Path file;

  OldHistoryTest(@TempDir Path directory) {
    file = directory.resolve("version-1.history");
  }

  @BeforeEach
  void copy() throws IOException {
    try (InputStream in = OldHistoryTest.class.getResourceAsStream("version-1.history")) {
      Files.write(file, Objects.requireNonNull(in).readAllBytes());
    }
  }

  @Test
  void isJudgedByWhatItRecords() throws IOException {
    History history = History.read(List.of(file));

    assertThat(history.marks())
        .extracting(History.Mark::what)
        .containsExactly("node 1 killed", "healed");
    Verdict verdict = history.verdict();
    assertThat(verdict)
        .isEqualTo(
            new Verdict(
                35,
                25,
                1,
                9,
                23,
                13,
                3,
                0,
                6,
                0,
                1,
                1,
                1,
                1,
                true,
                Verdict.Acks.NOT_RECORDED,
                new Verdict.Anomalies(3, 0, 6, 0, 0, 0),
                Expectations.AT_LEAST_ONCE.withFaults(), // it has marks
                List.of(
                    "lost: sender 3 sequences 17-19",
                    "corrupt: a body of 40 bytes whose stamp reads run 7, sender 3, sequence 0",
                    "delivered after ack: sender 3 sequence 4",
                    "duplicated: sender 3 sequences 4-9")));
    assertThat(verdict.judgement().words())
        .isEqualTo(
            "at-least-once broken: 3 lost, 1 corrupt; 25 confirmed, 1 delivered after ack, 6"
                + " duplicated, 1 recovered, 1 rejected, not recorded whether all were given to"
                + " ack");
  }

  @Test
  void canBeHeldToAnOrderThatItDoesNotName() throws IOException {
    Expectations ordered = Expectations.AT_LEAST_ONCE.withOrder(Ordering.PER_SENDER);
    assertThat(History.read(List.of(file), true, ordered).verdict().judgement().headline())
        .isEqualTo(
            "broken: 3 lost (3 lost writes), 1 corrupt, 1 reordered (nonmonotonic send), 1"
                + " delivered after ack");
  }

  @Test
  void aFileOfVersion2ThatSaysItIsVersion1IsDamaged() throws IOException {
    Path later = file.resolveSibling("later");
    try (Ledger ledger = Ledger.recordedTo(later, 1, "")) {
      ledger.sender(0).attempted(0, 1);
      ReceiverLog receiver = ledger.newReceiver();
      receiver.delivered(0, 0);
      receiver.settle(HistoryFormat.GIVEN, 0, 0, 1);
    }
    byte[] bytes = Files.readAllBytes(later);
    bytes[HistoryFormat.MAGIC.length - 1] = HistoryFormat.VERSION_1;
    Files.write(later, bytes);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(later)))
        .withMessageContaining("its events make no sense");
  }
}
