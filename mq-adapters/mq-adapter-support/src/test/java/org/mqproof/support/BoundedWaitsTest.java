package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every wait is made in an interrupted thread, which must wait all the same. */
class BoundedWaitsTest {

  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final CountDownLatch end = new CountDownLatch(1);

  @BeforeEach
  void interrupt() {
    Thread.currentThread().interrupt();
  }

  @AfterEach
  void theInterruptIsKept() {
    end.countDown();
    assertThat(Thread.interrupted()).isTrue();
  }

  private static long in(long nanos) {
    return System.nanoTime() + nanos;
  }

  @Test
  void aThread() {
    Thread thread = new Thread(this::awaitEnd);
    thread.start();
    long start = System.nanoTime();
    assertThat(BoundedWaits.awaitEnd(thread, in(SHORT_NANOS))).isFalse();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT_NANOS);
    end.countDown();
    assertThat(BoundedWaits.awaitEnd(thread, in(LONG_NANOS))).isTrue();
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aFuture() {
    CompletableFuture<Void> future = new CompletableFuture<>();
    assertThat(BoundedWaits.await(future, in(SHORT_NANOS))).isFalse();
    future.completeExceptionally(new IllegalStateException());
    assertThat(BoundedWaits.await(future, in(LONG_NANOS))).isTrue();
    assertThat(BoundedWaits.await(future, in(-1))).isTrue();
  }

  @Test
  void aCondition() {
    ReentrantLock lock = new ReentrantLock();
    Condition changed = lock.newCondition();
    lock.lock();
    try {
      assertThat(BoundedWaits.await(changed, () -> false, in(SHORT_NANOS))).isFalse();
      assertThat(BoundedWaits.await(changed, () -> true, in(-1))).isTrue();
    } finally {
      lock.unlock();
    }
  }
}
