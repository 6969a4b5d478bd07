package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Message;
import org.mqproof.Sender;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.NanoClock;
import org.mqproof.jmh.measure.Timeline;

/** With a clock of its own: what is measured is exact. */
class PacedSendingTest {

  private static final long MICROS = TimeUnit.MICROSECONDS.toNanos(1);
  private static final long MILLIS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Clock clock = new Clock();
  private final Timeline timeline = new Timeline(clock.nanos);
  private final LatencyRecorder lateness = new LatencyRecorder(timeline, Timeline.Kind.LATENESS);

  @Test
  void aStallOfTheSystemIsInTheResponseTimeOfEverySendThatFallsIntoIt() throws Exception {
    // One call of 10,000 takes 200 ms; 10 us otherwise.
    PacedSending sending = paced(10_000, send -> send == 5_000 ? 200 * MILLIS : 10 * MICROS);

    run(sending, 10_000);

    Map<Timeline.Kind, Distribution> times = close();
    Distribution service = Timeline.of(times, Timeline.Kind.SEND);
    Distribution response = Timeline.of(times, Timeline.Kind.RESPONSE);
    assertThat(service.count()).isEqualTo(10_000);
    assertThat(service.atPercentile(99.9)).isLessThan(11 * MICROS);
    assertThat(response.count()).isEqualTo(10_000);
    assertThat(response.atPercentile(99.9)).isBetween(195 * MILLIS, 201 * MILLIS);
    // 200 ms hold 2,000 sends back, and catching up takes 10 us each of the 100 us between two.
    assertThat(share(response, 20 * MICROS)).isBetween(0.2, 0.25);
    Distribution late = Timeline.of(times, Timeline.Kind.LATENESS);
    assertThat(late.count()).isEqualTo(10_000);
    assertThat(late.max()).as("none of it is the generator's doing").isLessThan(MICROS);
  }

  @Test
  void aPauseOfTheGeneratorIsItsOwnLateness() throws Exception {
    PacedSending sending = paced(10_000, send -> 10 * MICROS);
    run(sending, 1_000);
    clock.nanos += 50 * MILLIS; // while it waited

    run(sending, 1_000);

    Map<Timeline.Kind, Distribution> times = close();
    Distribution late = Timeline.of(times, Timeline.Kind.LATENESS);
    assertThat(late.max()).isBetween(49 * MILLIS, 51 * MILLIS);
    // The first send after the pause is not the only one that it makes late.
    assertThat(share(late, MILLIS)).isBetween(0.25, 0.28);
    assertThat(Timeline.of(times, Timeline.Kind.SEND).max()).isLessThan(11 * MICROS);
  }

  @Test
  void anExactGeneratorIsNeverLateThoughTheSystemIsTooSlow() throws Exception {
    PacedSending sending = paced(1_000, send -> 2 * MILLIS);

    run(sending, 500);

    Map<Timeline.Kind, Distribution> times = close();
    assertThat(Timeline.of(times, Timeline.Kind.LATENESS).count()).isEqualTo(500);
    assertThat(Timeline.of(times, Timeline.Kind.LATENESS).max()).isZero();
    assertThat(Timeline.of(times, Timeline.Kind.RESPONSE).max())
        .isBetween(500 * MILLIS, 502 * MILLIS);
  }

  @Test
  void whatIsDueIsSentAfterTheEnd() throws Exception {
    PacedSending sending = paced(1_000, send -> send == 0 ? 500 * MILLIS : 10 * MICROS);
    run(sending, 1);

    sending.sendOverdue();
    sending.sending().settle();

    assertThat(sending.unsent()).isZero();
    assertThat(sending.begun()).isEqualTo(500);
    assertThat(Timeline.of(close(), Timeline.Kind.RESPONSE).count()).isEqualTo(500);
  }

  @Test
  void whatIsNeverBegunCountsWithTheTimeThatItWaited() throws Exception {
    PacedSending sending = paced(1_000, send -> 10 * MILLIS);
    run(sending, 500); // 5 s, in which 5,000 were due

    sending.sendOverdue(); // 2 s
    sending.giveUp();
    sending.sending().settle();

    assertThat(sending.begun()).isBetween(699L, 702L);
    assertThat(sending.begun() + sending.unsent()).isEqualTo(5_000);
    Distribution response = Timeline.of(close(), Timeline.Kind.RESPONSE);
    assertThat(response.count()).isEqualTo(5_000);
    // The next one was due after 0.7 s, the last one at the end; all waited until 7 s and a call.
    assertThat(response.max()).isBetween(6_290 * MILLIS, 6_330 * MILLIS);
    assertThat(response.atPercentile(50)).isBetween(4_000 * MILLIS, 4_100 * MILLIS);
  }

  @Test
  void whatIsOverdueComesFirstInTheNextIteration() throws Exception {
    PacedSending sending = paced(1_000, send -> send == 0 ? 5 * SECOND : MILLIS);
    run(sending, 1); // 5,000 are due, of which 2,000 are sent afterwards
    sending.sendOverdue();
    clock.nanos += 3 * SECOND; // between iterations, when nobody may send
    sending.begin(Timeline.Phase.MEASURED, 1);

    run(sending, 3_000);

    // Each takes as long as it is until the next one is due: the debt of the stall never shrinks.
    Distribution response = Timeline.of(close(), Timeline.Kind.RESPONSE);
    assertThat(response.count()).isBetween(5_000L, 5_003L);
    assertThat(response.min()).isBetween(4_990 * MILLIS, 5_010 * MILLIS);
    assertThat(response.max()).isBetween(4_990 * MILLIS, 5_010 * MILLIS);
  }

  /** In 30 s: the length of an iteration changes nothing of what users would have seen. */
  @ParameterizedTest
  @ValueSource(ints = {1, 10})
  void aStallShowsAtItsLengthWhateverTheIterations(int seconds) throws Exception {
    PacedSending sending = paced(1_000, send -> send == 7_500 ? 3 * SECOND : 10 * MICROS);
    for (int iteration = 0; iteration < 30 / seconds; iteration++) {
      sending.sending().begin(Timeline.Phase.MEASURED);
      sending.begin(Timeline.Phase.MEASURED, 1);
      long end = clock.nanos + seconds * SECOND;
      while (clock.nanos < end) {
        var unused = sending.send(() -> clock.nanos >= end);
      }
      sending.sendOverdue();
      sending.sending().settle();
      clock.nanos += SECOND;
    }
    sending.giveUp();

    Distribution response = Timeline.of(close(), Timeline.Kind.RESPONSE);
    assertThat(response.max()).isBetween(2_997 * MILLIS, 3_003 * MILLIS);
    assertThat(response.atPercentile(99.9)).isBetween(2_960 * MILLIS, 3_000 * MILLIS);
    assertThat(share(response, SECOND)).isBetween(0.06, 0.08);
    assertThat(sending.unsent()).isZero();
  }

  @Test
  void theScheduleRestsBetweenIterations() throws Exception {
    PacedSending sending = paced(1_000, send -> 10 * MICROS);
    run(sending, 10);
    sending.sendOverdue();
    clock.nanos += 3 * SECOND;
    sending.begin(Timeline.Phase.MEASURED, 1);

    run(sending, 10);

    assertThat(Timeline.of(close(), Timeline.Kind.RESPONSE).max()).isLessThan(11 * MICROS);
  }

  @Test
  void whatTheHarnessWaitsForAtTheEndMakesNothingOverdue() throws Exception {
    PacedSending sending = paced(1_000, send -> send == 9 ? 5 * MILLIS : 10 * MICROS);
    run(sending, 9);
    long end = clock.nanos + 2 * MILLIS;
    var unused = sending.send(() -> clock.nanos >= end); // is slow: others are due when it ends
    clock.nanos += 100 * MILLIS; // for receivers that wait for a message

    sending.sendOverdue();
    sending.sending().settle();

    Distribution response = Timeline.of(close(), Timeline.Kind.RESPONSE);
    assertThat(response.count()).isBetween(14L, 15L);
    assertThat(response.max()).isBetween(4 * MILLIS, 6 * MILLIS);
    assertThat(Timeline.of(close(), Timeline.Kind.LATENESS).max()).isLessThan(MILLIS);
  }

  @Test
  void nobodyWaitsWhenItIsOver() throws Exception {
    PacedSending sending = paced(1, send -> 10 * MICROS);
    run(sending, 1);
    long before = clock.nanos;

    assertThat(sending.send(() -> true)).isZero();

    assertThat(clock.nanos - before).isLessThanOrEqualTo(10 * MILLIS);
    assertThat(sending.begun()).isEqualTo(1);
  }

  private void run(PacedSending sending, int sends) throws InterruptedException {
    for (int i = 0; i < sends; i++) {
      assertThat(sending.send(() -> false)).isEqualTo(1);
    }
    sending.sending().settle();
  }

  private PacedSending paced(int rate, IntToLongFunction serviceNanos) {
    BatchSizes ones = new BatchSizes(1, 1);
    Sending sending =
        new SyncSending(
            new SlowSender(serviceNanos),
            null,
            ones.draw(0),
            new Batches(1, 8),
            new SendTimes(
                new LatencyRecorder(timeline, Timeline.Kind.SEND),
                new LatencyRecorder(timeline, Timeline.Kind.RESPONSE)),
            clock);
    PacedSending paced =
        new PacedSending(
            sending,
            new Schedule(Arrivals.parse("constant"), rate, ones, 0),
            lateness,
            senders -> clock);
    sending.begin(Timeline.Phase.MEASURED);
    paced.begin(Timeline.Phase.MEASURED, 1);
    return paced;
  }

  private Map<Timeline.Kind, Distribution> close() {
    lateness.flush();
    return timeline.close((kind, second, measured) -> {});
  }

  /** Of the samples, those above a limit. */
  private static double share(Distribution times, long limit) {
    double below = 0;
    for (double percent = 0.1; percent <= 100; percent += 0.1) {
      below = times.atPercentile(percent) <= limit ? percent : below;
    }
    return 1 - below / 100;
  }

  /** Exact: waiting takes the time that was asked for, and nothing else takes any. */
  private static final class Clock implements NanoClock {
    private long nanos = System.nanoTime();

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public void pause(long pauseNanos) {
      nanos += pauseNanos;
    }
  }

  private final class SlowSender implements Sender {
    private final IntToLongFunction serviceNanos;
    private int sends;

    SlowSender(IntToLongFunction serviceNanos) {
      this.serviceNanos = serviceNanos;
    }

    @Override
    public void send(List<Message> batch) {
      clock.nanos += serviceNanos.applyAsLong(sends++);
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      throw new UnsupportedOperationException("only send is timed");
    }

    @Override
    public void close() {}
  }
}
