package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RatesTest {

  private final AtomicLong nanoTime = new AtomicLong(-5);
  private final Rates rates = new Rates(nanoTime::get);

  @Test
  void aRateIsBackWithTheFirstWholeSecondThatHasIt() {
    work(20, 10); // two seconds of ten messages in each tenth
    long faultAt = nanoTime.get();
    assertThat(rates.inTheSecondBefore(faultAt)).isEqualTo(100);
    work(15, 0);
    work(10, 4);
    work(9, 10);
    assertThat(rates.untilASecondWith(95, faultAt)).isEmpty();

    work(1, 10);

    assertThat(rates.untilASecondWith(95, faultAt)).contains(Duration.ofMillis(2_400));
  }

  @Test
  void aRateThatNeverFellIsBackAtOnce() {
    work(20, 10);
    long faultAt = nanoTime.get();
    work(12, 10);

    assertThat(rates.untilASecondWith(95, faultAt)).contains(Duration.ZERO);
  }

  private void work(int tenthsOfASecond, int messagesInEach) {
    for (int i = 0; i < tenthsOfASecond; i++) {
      rates.count(messagesInEach);
      nanoTime.addAndGet(Duration.ofMillis(100).toNanos());
    }
  }
}
