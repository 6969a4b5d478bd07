package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.memory.MemoryBroker;

class LongWorkTest {

  private static final Duration CLAIM_PERIOD = Duration.ofSeconds(30);

  @Test
  void aClaimIsHeldAsLongAsTheWorkTakes() throws Exception {
    MemoryBroker broker = MemoryBroker.builder().claimPeriod(CLAIM_PERIOD).build();
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (Mq mq = broker.connect()) {
      mq.createQueue("orders");
      mq.sender("orders").send(List.of(new Message(new byte[1])));
      Counting receiver = new Counting(mq.receiver("orders"), new Semaphore(0));
      Receiver other = mq.receiver("orders");
      Delivery delivery = receiver.receive(1, Duration.ZERO).get(0);

      LongWork.process(
          receiver,
          delivery,
          Duration.ofMillis(30), // of a clock of its own: the broker's is moved below
          executor,
          message -> {
            for (int i = 0; i < 3; i++) {
              receiver.extensions.acquireUninterruptibly();
              broker.advance(CLAIM_PERIOD.minusSeconds(10));
              receiver.extensions.drainPermits();
              receiver.extensions.acquireUninterruptibly();
              assertThatNothingComes(other);
            }
          });
      broker.advance(CLAIM_PERIOD.plusSeconds(1));
      assertThatNothingComes(other);
    } finally {
      executor.shutdown();
    }
  }

  private static void assertThatNothingComes(Receiver receiver) {
    try {
      assertThat(receiver.receive(1, Duration.ZERO)).isEmpty();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Counts extensions as they end. */
  private record Counting(Receiver inside, Semaphore extensions) implements Receiver {

    @Override
    public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
      return inside.receive(max, timeout);
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      return inside.ack(deliveries);
    }

    @Override
    public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
      CompletableFuture<Void> extended = inside.extend(deliveries);
      extended.join();
      extensions.release();
      return extended;
    }

    @Override
    public void close() {
      inside.close();
    }
  }
}
