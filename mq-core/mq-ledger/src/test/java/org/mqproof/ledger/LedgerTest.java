package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;

class LedgerTest {

  private final Ledger ledger = new Ledger();

  @Test
  void aRunWithoutFaultsHoldsAndIsClean() {
    List<Message> batch = messages(10);
    long first = ledger.sender(3).stamp(batch, 42);
    ledger.sender(3).confirmed(first, 10);
    ReceiverLog receiver = ledger.newReceiver();
    List<Long> times = new ArrayList<>();
    receiver.delivered(deliveries(batch), times::add);
    receiver.acked(deliveries(batch));

    Verdict verdict = ledger.verdict(true);
    assertThat(verdict)
        .isEqualTo(new Verdict(10, 10, 0, 0, 10, 10, 0, 0, 0, 0, 0, 0, 0, 0, true, List.of()));
    assertThat(verdict.holds()).isTrue();
    assertThat(verdict.clean()).isTrue();
    assertThat(times).hasSize(10).containsOnly(42L);
    assertThat(ledger.allConfirmedDelivered()).isTrue();
  }

  private static List<Message> messages(int count) {
    return IntStream.range(0, count).mapToObj(i -> new Message(new byte[100])).toList();
  }

  private static List<Delivery> deliveries(List<Message> messages) {
    return messages.stream().<Delivery>map(message -> () -> message).toList();
  }
}
