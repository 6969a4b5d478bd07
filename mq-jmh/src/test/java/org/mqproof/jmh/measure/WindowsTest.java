package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.mqproof.report.Latency;

class WindowsTest {

  @Test
  void aWindowHasSoManyMeasuredSeconds() {
    Windows windows = new Windows(3);
    windows.add(4, times(100));
    windows.add(4, times(100)); // the second in which one iteration ended and the next began
    windows.add(5, times(100));
    windows.add(9, times(200)); // between iterations there are seconds that nobody measured
    windows.add(10, times(700));

    assertThat(windows.tails())
        .containsExactly(new Windows.Tail(200, 200), new Windows.Tail(700, 700));
  }

  @Test
  void oneBadSecondShowsThoughTheWholeRunHidesIt() {
    Windows seconds = new Windows(1);
    Windows minutes = new Windows(60);
    Distribution whole = new Distribution();
    for (int second = 0; second < 120; second++) {
      Distribution times = times(second == 70 ? 1_000 : 10);
      seconds.add(second, times);
      minutes.add(second, times);
      whole.add(times);
    }

    Latency latency = Objects.requireNonNull(whole.summary(Map.of(1, seconds.tails())));

    assertThat(latency.p99Nanos()).isEqualTo(10);
    assertThat(latency.windows()).containsExactly(new Latency.Window(1, 120, 10, 1_000, 10, 1_000));
    assertThat(minutes.tails())
        .containsExactly(new Windows.Tail(10, 10), new Windows.Tail(10, 1_000));
  }

  @Test
  void timesBelowZeroStayBelowZero() {
    Windows windows = new Windows(1);
    windows.add(0, times(-500));

    Latency latency = Objects.requireNonNull(times(-500).summary(Map.of(1, windows.tails())));

    assertThat(windows.tails()).containsExactly(new Windows.Tail(-500, -500));
    assertThat(Objects.requireNonNull(latency.windows()).get(0).p99WorstNanos()).isEqualTo(-500);
  }

  @Test
  void withoutASampleThereIsNoWindow() {
    assertThat(new Windows(1).tails()).isEqualTo(List.of());
  }

  private static Distribution times(long nanos) {
    Distribution times = new Distribution();
    times.record(nanos, 100);
    return times;
  }
}
