package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Receiver;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.Timeline;

/** With a receiver whose acks end when the test wants. */
@Timeout(180)
class ReceivingTest {

  private final BlockingQueue<CompletableFuture<Void>> acks = new LinkedBlockingQueue<>();

  @Test
  void anAckThatIsAwaitedEndsBeforeTheNextReceive() throws Exception {
    try (Receiving receiving = receiving(true)) {
      FutureTask<Integer> receive = new FutureTask<>(() -> receiving.receive(Duration.ZERO));
      Thread thread = new Thread(receive);
      thread.start();
      CompletableFuture<Void> ack = acks.take();
      while (thread.isAlive() && thread.getState() != Thread.State.WAITING) { // for the ack
        Thread.onSpinWait();
      }

      assertThat(thread.getState()).isEqualTo(Thread.State.WAITING);
      ack.complete(null);

      assertThat(receive.get()).isOne();
      assertThat(receiving.failedAcks()).isZero();
    }
  }

  @Test
  void anAwaitedAckThatFailsIsCountedAndReceivingGoesOn() throws Exception {
    try (Receiving receiving = receiving(true)) {
      FutureTask<Integer> receive = new FutureTask<>(() -> receiving.receive(Duration.ZERO));
      new Thread(receive).start();

      acks.take().completeExceptionally(new IllegalStateException("not acked"));

      assertThat(receive.get()).isOne();
      assertThat(receiving.failedAcks()).isOne();
    }
  }

  @Test
  void anAckThatIsNotAwaitedHoldsNothingUp() throws Exception {
    try (Receiving receiving = receiving(false)) {
      receiving.receive(Duration.ZERO);
      receiving.receive(Duration.ZERO);

      assertThat(acks).hasSize(2).noneMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void anAckIsCountedWhenItHasCompleted() throws Exception {
    try (Receiving receiving = receiving(false)) {
      receiving.receive(Duration.ZERO);
      receiving.receive(Duration.ZERO);
      receiving.receive(Duration.ZERO);
      assertThat(receiving.acked()).isZero();
      assertThat(receiving.lastAckedNanos()).isZero();

      acks.take().complete(null);
      acks.take().completeExceptionally(new IllegalStateException("not acked"));

      assertThat(receiving.received()).isEqualTo(3);
      assertThat(receiving.acked()).isOne();
      assertThat(receiving.lastAckedNanos()).isGreaterThan(receiving.lastReceivedNanos());
    }
  }

  private Receiving receiving(boolean awaitAcks) {
    LatencyRecorder recorder =
        new LatencyRecorder(new Timeline(System.nanoTime()), Timeline.Kind.PROCESSING);
    return new Receiving(LateAcks::new, null, 1, false, 0, awaitAcks, 0, recorder);
  }

  private final class LateAcks implements Receiver {

    @Override
    public List<Delivery> receive(int max, Duration timeout) {
      return List.of(() -> new Message(new byte[1]));
    }

    @Override
    public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
      CompletableFuture<Void> ack = new CompletableFuture<>();
      acks.add(ack);
      return ack;
    }

    @Override
    public void close() {}
  }
}
