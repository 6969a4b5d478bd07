package com.example.orders;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.memory.MemoryBroker;

class OrderSenderTest {

  private final MemoryBroker broker =
      MemoryBroker.builder().callBound(Duration.ofMillis(20)).largestBodyBytes(100).build();

  @Test
  void whatIsUnknownIsSentAgainUnderTheSameId() throws Exception {
    try (Mq mq = new HealsAfterASend(broker)) {
      mq.createQueue("orders");
      try (OrderSender sender = new OrderSender(mq, "orders");
          Receiver receiver = mq.receiver("orders")) {
        broker.hang(); // stores the first attempt and does not answer
        sender.send("tea".getBytes(UTF_8));

        List<Delivery> deliveries = receiver.receive(10, Duration.ZERO);
        assertThat(deliveries).hasSize(2);
        List<String> handled = new ArrayList<>();
        OncePerId once = new OncePerId(message -> handled.add(new String(message.body(), UTF_8)));
        deliveries.forEach(delivery -> once.accept(delivery.message()));
        assertThat(handled).containsExactly("tea");
      }
    }
  }

  @Test
  void whatIsRejectedIsNot() throws Exception {
    try (Mq mq = broker.connect()) {
      mq.createQueue("orders");
      try (OrderSender sender = new OrderSender(mq, "orders");
          Receiver receiver = mq.receiver("orders")) {
        assertThatExceptionOfType(SendFailedException.class)
            .isThrownBy(() -> sender.send(new byte[101]));
        assertThat(receiver.receive(10, Duration.ZERO)).isEmpty();
      }
    }
  }

  /** A broker that answers again after the first send. */
  private record HealsAfterASend(MemoryBroker broker, Mq mq) implements Mq {

    HealsAfterASend(MemoryBroker broker) {
      this(broker, broker.connect());
    }

    @Override
    public Sender sender(String queue) {
      Sender inside = mq.sender(queue);
      return new Sender() {
        @Override
        public void send(List<Message> batch) throws InterruptedException {
          inside.send(batch);
        }

        @Override
        public CompletableFuture<Void> sendAsync(List<Message> batch) {
          CompletableFuture<Void> sent = inside.sendAsync(batch);
          broker.heal();
          return sent;
        }

        @Override
        public void close() {
          inside.close();
        }
      };
    }

    @Override
    public Receiver receiver(String queue) {
      return mq.receiver(queue);
    }

    @Override
    public void createQueue(String queue) {
      mq.createQueue(queue);
    }

    @Override
    public void deleteQueue(String queue) {
      mq.deleteQueue(queue);
    }

    @Override
    public Traits traits() {
      return mq.traits();
    }

    @Override
    public void close() {
      mq.close();
    }
  }
}
