package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the sets of sequence numbers hold, in bits per message and event. */
class MemoryTest {

  private static final double MOST_BITS = 1.1;

  private final Ledger ledger = new Ledger();
  private final SenderLog sender = ledger.sender(0);

  @Test
  void twentyMillionMessagesInOrder() {
    int messages = 20_000_000;
    send(messages);
    List<ReceiverLog> receivers = List.of(ledger.newReceiver(), ledger.newReceiver());
    for (int i = 0; i < messages; i++) {
      ReceiverLog receiver = receivers.get((i >>> 3) & 1);
      receiver.delivered(0, i);
      receiver.settle(HistoryFormat.GIVEN, 0, i, i + 1);
      receiver.acked(0, i);
    }

    assertThat(bitsPerMessageAndEvent(messages)).isLessThan(0.01);
    assertThat(ledger.verdict(true)).isEqualTo(Verdicts.ofFlawless(messages));
  }

  @Test
  void oneHundredMillionMessagesOfWhichFiveMillionArrivedInAnyOrder() {
    int messages = 100_000_000;
    send(messages);
    List<ReceiverLog> receivers = List.of(ledger.newReceiver(), ledger.newReceiver());
    int received = 5_000_000;
    for (int i = 0; i < received; i++) {
      // The factor is prime to the count: a scattered order that meets no message twice.
      int sequence = (int) (i * 61_803_399L % messages);
      receivers.get(i & 1).delivered(0, sequence);
      receivers.get(i & 1).settle(HistoryFormat.GIVEN, 0, sequence, sequence + 1);
    }

    assertThat(bitsPerMessageAndEvent(messages)).isLessThan(MOST_BITS);
    Verdict verdict = ledger.verdict(false);
    assertThat(verdict.delivered()).isEqualTo(received);
    assertThat(verdict.unverified()).isEqualTo(messages - received);
  }

  @Test
  void fourMillionMessagesEveryEventInAnyOrderAndFullOfHoles() {
    int messages = 1 << 22;
    sender.attempted(0, messages);
    ReceiverLog receiver = ledger.newReceiver();
    for (int i = 0; i < messages / 2; i++) {
      int sequence = (i * 61_803_399) & (messages - 1); // odd factor: no message twice
      sender.confirmed(sequence, 1);
      receiver.delivered(0, sequence);
      receiver.settle(HistoryFormat.GIVEN, 0, sequence, sequence + 1);
      receiver.acked(0, sequence);
    }

    assertThat(bitsPerMessageAndEvent(messages)).isBetween(0.5, MOST_BITS);
    Verdict verdict = ledger.verdict(true);
    assertThat(verdict.holds()).isTrue();
    assertThat(verdict.acked()).isEqualTo(messages / 2);
  }

  private void send(int messages) {
    int step = 10_000;
    for (int first = 0; first < messages; first += step) {
      sender.attempted(first, step);
      sender.confirmed(first, step);
    }
  }

  /** Events: attempted, confirmed, delivered, given to ack, acked. */
  private double bitsPerMessageAndEvent(long messages) {
    return ledger.sizeInBytes() * 8.0 / messages / 5;
  }
}
