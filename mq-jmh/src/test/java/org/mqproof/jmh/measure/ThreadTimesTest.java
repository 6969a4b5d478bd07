package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ThreadTimesTest {

  @Test
  @Timeout(180)
  void theThreadThatRanMostWhileItWasWatchedIsNamed() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch busy = new CountDownLatch(1);
    Thread one = new Thread(() -> spin(over, busy), "busy-one");
    one.start();
    try {
      busy.await();
      ThreadTimes times = new ThreadTimes();
      assertThat(times.busiest()).isEqualTo(ThreadTimes.Busiest.UNKNOWN);

      long start = System.nanoTime();
      do {
        times.start();
        TimeUnit.MILLISECONDS.sleep(20);
        times.stop();
      } while (times.busiest().nanos() == 0 || !times.busiest().name().equals("busy-one"));

      assertThat(times.busiest().nanos()).isPositive().isLessThan(System.nanoTime() - start);
    } finally {
      over.set(true);
      one.join();
    }
  }

  @Test
  void ofTwoForksTheBusierThreadGivesTheName() {
    ThreadTimes.Busiest sender = new ThreadTimes.Busiest("sender", 3);
    ThreadTimes.Busiest receiver = new ThreadTimes.Busiest("receiver", 5);
    assertThat(sender.plus(receiver)).isEqualTo(new ThreadTimes.Busiest("receiver", 8));
    assertThat(receiver.plus(sender)).isEqualTo(new ThreadTimes.Busiest("receiver", 8));
  }

  private static void spin(AtomicBoolean over, CountDownLatch busy) {
    busy.countDown();
    while (!over.get()) {
      Thread.onSpinWait();
    }
  }
}
