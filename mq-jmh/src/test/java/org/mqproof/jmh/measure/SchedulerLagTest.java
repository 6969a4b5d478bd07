package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SchedulerLagTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final LateClock clock = new LateClock();
  private final SchedulerLag lag = new SchedulerLag(clock);

  /** Time passes only here. */
  private static final class LateClock implements NanoClock {
    private long now;
    private long late;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void pause(long nanos) {
      now += nanos + late;
    }
  }

  @Test
  void aThreadThatIsWokenInTimeIsNotLate() {
    lag.measure(true);
    lag.look();

    assertThat(seen().count()).isEqualTo(1);
    assertThat(seen().max()).isZero();
  }

  @Test
  void aPauseCountsForEveryWakeUpThatFellIntoIt() {
    lag.measure(true);
    clock.late = 35 * MILLI;
    lag.look();

    assertThat(seen().count()).isEqualTo(4);
    assertThat(seen().max()).isBetween(35 * MILLI - MILLI / 10, 35 * MILLI + MILLI / 10);
    assertThat(seen().min()).isBetween(5 * MILLI - MILLI / 10, 5 * MILLI + MILLI / 10);
  }

  @Test
  void onlyWhatIsMeasuredCounts() {
    clock.late = 35 * MILLI;
    lag.look();
    lag.measure(true);
    lag.measure(false);
    lag.look();

    assertThat(seen().count()).isZero();
  }

  @Test
  void itsThreadEndsWithTheTrial() throws InterruptedException {
    SchedulerLag real = new SchedulerLag(System::nanoTime);
    Thread thread = real.start();
    real.close();

    thread.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(thread.isAlive()).isFalse();
  }

  private Distribution seen() {
    return Distribution.decode(lag.encode());
  }
}
