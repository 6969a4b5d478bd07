package org.mqproof.jmh.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mqproof.report.Second;

class LatencyRecorderTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** In the future, so that the recorders' own look at the clock falls into second 0. */
  private final long origin = System.nanoTime() + SECOND / 1000;

  private final Timeline timeline = new Timeline(origin);
  private final List<String> logged = new ArrayList<>();

  @Test
  void samplesOfTwoThreadsMeetInTheirSecond() {
    LatencyRecorder one = new LatencyRecorder(timeline, Timeline.Kind.SEND);
    LatencyRecorder two = new LatencyRecorder(timeline, Timeline.Kind.SEND);
    one.begin(Timeline.Phase.MEASURED);
    two.begin(Timeline.Phase.MEASURED);
    one.count(origin + SECOND / 2, 10);
    one.record(1_000, 1);
    two.count(origin + SECOND / 2, 5);
    two.record(1_800, 1);
    one.count(origin + 3 * SECOND / 2, 7);
    one.record(2_000, 1);
    one.flush();
    two.flush();

    Map<Timeline.Kind, Distribution> iteration = close();

    assertThat(Timeline.of(iteration, Timeline.Kind.SEND).count()).isEqualTo(3);
    assertThat(logged).containsExactly("SEND 0: 2", "SEND 1: 1");
    assertThat(timeline.seconds())
        .containsExactly(
            new Second(1, 0, true, 15, 0, 1_800L, null, 15L),
            new Second(1, 1, true, 7, 0, 2_000L, null, 22L));
  }

  @Test
  void warmUpIsCountedAndNotMeasured() {
    LatencyRecorder recorder = new LatencyRecorder(timeline, Timeline.Kind.PROCESSING);
    recorder.count(origin + SECOND / 2, 4);
    recorder.record(9_000, 4);
    recorder.begin(Timeline.Phase.MEASURED);
    recorder.count(origin + SECOND / 2, 1);
    recorder.record(1_000, 1);
    recorder.flush();

    Map<Timeline.Kind, Distribution> iteration = close();

    assertThat(Timeline.of(iteration, Timeline.Kind.PROCESSING).max()).isEqualTo(1_000);
    assertThat(timeline.seconds())
        .containsExactly(new Second(1, 0, false, 0, 5, null, 1_000L, -5L));
  }

  @Test
  void theTailIsMeasuredThoughItsSecondIsNot() {
    LatencyRecorder recorder = new LatencyRecorder(timeline, Timeline.Kind.PROCESSING);
    recorder.begin(Timeline.Phase.TAIL);
    recorder.count(origin + SECOND / 2, 1);
    recorder.record(1_000, 1);
    recorder.flush();

    assertThat(Timeline.of(close(), Timeline.Kind.PROCESSING).count()).isEqualTo(1);
    assertThat(timeline.seconds()).extracting(Second::measured).containsExactly(false);
  }

  @Test
  void aSecondSharedByTwoIterationsIsOneSecond() {
    LatencyRecorder recorder = new LatencyRecorder(timeline, Timeline.Kind.SEND);
    recorder.begin(Timeline.Phase.MEASURED);
    recorder.count(origin + SECOND / 4, 3);
    recorder.record(2_000, 1);
    recorder.flush();
    close();
    recorder.count(origin + SECOND / 2, 4);
    recorder.record(1_000, 1);
    recorder.flush();

    assertThat(Timeline.of(close(), Timeline.Kind.SEND).count()).isEqualTo(1);
    assertThat(timeline.measured(Timeline.Kind.SEND).count()).isEqualTo(2);
    assertThat(timeline.seconds()).containsExactly(new Second(1, 0, true, 7, 0, 2_000L, null, 7L));
  }

  private Map<Timeline.Kind, Distribution> close() {
    return timeline.close(
        (kind, second, times) -> logged.add(kind + " " + second + ": " + times.count()));
  }
}
