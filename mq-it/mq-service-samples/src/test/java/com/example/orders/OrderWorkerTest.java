package com.example.orders;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.memory.MemoryBroker;

class OrderWorkerTest {

  private final MemoryBroker broker =
      MemoryBroker.builder().callBound(Duration.ofMillis(200)).build();
  private final Mq mq = broker.connect();
  private final BlockingQueue<String> handled = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
  private final Logger logger = Logger.getLogger(OrderWorker.class.getName());
  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          logged.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void open() {
    logger.addHandler(log);
    mq.createQueue("orders");
    mq.createQueue("orders.failed");
  }

  @AfterEach
  void close() {
    logger.removeHandler(log);
    mq.close();
  }

  private void send(String order) throws InterruptedException {
    try (OrderSender sender = new OrderSender(mq, "orders")) {
      sender.send(order.getBytes(UTF_8));
    }
  }

  private OrderWorker worker(Consumer<String> work) {
    return new OrderWorker(
        mq,
        "orders",
        message -> {
          String order = new String(message.body(), UTF_8);
          handled.add(order);
          work.accept(order);
        });
  }

  private List<Delivery> left(String queue) throws InterruptedException {
    try (Receiver receiver = mq.receiver(queue)) {
      return receiver.receive(10, Duration.ZERO);
    }
  }

  @Test
  void anOrderIsHandledAndAcked() throws Exception {
    try (OrderWorker worker = worker(order -> {})) {
      send("tea");
      assertThat(Await.next(handled)).isEqualTo("tea");
      assertThat(worker.isRunning()).isTrue();
    }
    assertThat(left("orders")).isEmpty();
  }

  @Test
  void anOrderThatFailedComesAgainAtOnce() throws Exception {
    boolean[] failed = new boolean[1];
    OrderWorker worker =
        worker(
            order -> {
              if (!failed[0]) {
                failed[0] = true;
                throw new IllegalStateException("the first attempt");
              }
            });
    try (worker) {
      send("tea");
      assertThat(Await.next(handled)).isEqualTo("tea");
      assertThat(Await.next(handled)).isEqualTo("tea");
    }
    assertThat(left("orders")).isEmpty();
  }

  @Test
  void anOrderThatAlwaysFailsIsSetAside() throws Exception {
    OrderWorker worker =
        worker(
            order -> {
              if (order.equals("poison")) {
                throw new IllegalArgumentException(order);
              }
            });
    try (worker) {
      send("poison");
      for (int attempt = 0; attempt < 5; attempt++) {
        assertThat(Await.next(handled)).isEqualTo("poison");
      }
      send("tea");
      assertThat(Await.next(handled)).isEqualTo("tea");
    }
    assertThat(left("orders")).isEmpty();
    assertThat(left("orders.failed"))
        .singleElement()
        .satisfies(
            delivery -> {
              Message message = delivery.message();
              assertThat(message.body()).asString(UTF_8).isEqualTo("poison");
              assertThat(message.headers()).containsKey("id");
            });
  }

  @Test
  void aBrokerThatComesBackIsReceivedFrom() throws Exception {
    try (OrderWorker worker = worker(order -> {})) {
      broker.refuse();
      assertThat(Await.next(logged)).contains("the next receiver opens");
      assertThat(worker.isRunning()).isTrue();
      broker.heal();
      send("coffee");
      assertThat(Await.next(handled)).isEqualTo("coffee");
    }
    assertThat(left("orders")).isEmpty();
  }
}
