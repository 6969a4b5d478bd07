package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.MemoryBroker;

/** A unit test of an application's own: no broker, and no waiting for a claim to expire. */
class OrdersTest {

  @Test
  void anOrderThatIsNotAckedComesAgain() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().claimPeriod(Duration.ofSeconds(30)).build();
    try (Mq mq = broker.connect()) {
      mq.createQueue("orders");
      try (Sender sender = mq.sender("orders");
          Receiver receiver = mq.receiver("orders")) {
        sender.send(List.of(new Message("tea".getBytes(UTF_8))));
        assertEquals(1, receiver.receive(10, Duration.ofSeconds(1)).size());
        assertTrue(receiver.receive(10, Duration.ZERO).isEmpty());

        broker.advance(Duration.ofSeconds(31));

        List<Delivery> again = receiver.receive(10, Duration.ofSeconds(1));
        assertEquals("tea", new String(again.get(0).message().body(), UTF_8));
        receiver.ack(again).get(1, TimeUnit.SECONDS);
      }
    }
  }
}
