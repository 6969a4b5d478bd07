package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mqproof.Delivery;
import org.mqproof.Message;

@Timeout(180)
class DeliveriesTest {

  private static final long LONG_NANOS = Duration.ofSeconds(20).toNanos();

  private record Numbered(int number) implements Delivery {
    @Override
    public Message message() {
      return new Message(new byte[number]);
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final List<Delivery> here = new ArrayList<>();
  private boolean closed;

  private List<Delivery> takeAll() {
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    if (closed) {
      throw new IllegalStateException("closed");
    }
    List<Delivery> taken = List.copyOf(here);
    here.clear();
    return taken;
  }

  private CompletableFuture<Void> soon(Runnable underLock) {
    return CompletableFuture.runAsync(
        () -> {
          lock.lock();
          try {
            underLock.run();
            arrived.signalAll();
          } finally {
            lock.unlock();
          }
        });
  }

  @Test
  void whatIsHereIsTakenAtOnceAndNothingAtTheTimeout() throws Exception {
    here.add(new Numbered(1));

    assertThat(Deliveries.take(lock, arrived, 0, this::takeAll)).containsExactly(new Numbered(1));
    assertThat(Deliveries.take(lock, arrived, 0, this::takeAll)).isEmpty();
    assertThat(Deliveries.take(lock, arrived, 1_000_000, this::takeAll)).isEmpty();
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void whoWaitsGetsWhatArrives() throws Exception {
    lock.lock(); // the other thread gets it when this one waits
    try {
      CompletableFuture<Void> other = soon(() -> here.add(new Numbered(1)));

      assertThat(Deliveries.take(lock, arrived, LONG_NANOS, this::takeAll))
          .containsExactly(new Numbered(1));
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      other.get();
    } finally {
      lock.unlock();
    }
  }

  @Test
  void whoWaitsLearnsOfTheEnd() throws Exception {
    lock.lock();
    try {
      CompletableFuture<Void> other = soon(() -> closed = true);

      assertThatIllegalStateException()
          .isThrownBy(() -> Deliveries.take(lock, arrived, LONG_NANOS, this::takeAll));
      other.get();
    } finally {
      lock.unlock();
    }
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void deliveriesOfOthersAreRefused() {
    Delivery own = new Numbered(1);
    Delivery other = new Numbered(2);
    Delivery foreign = () -> new Message(new byte[0]);

    assertThat(Deliveries.own(List.of(own, own), Numbered.class, d -> d.number() == 1))
        .containsExactly(new Numbered(1), new Numbered(1));
    for (Delivery wrong : List.of(other, foreign)) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> Deliveries.own(List.of(own, wrong), Numbered.class, d -> d.number() == 1))
          .withMessage("not delivered by this receiver: " + wrong);
    }
  }
}
