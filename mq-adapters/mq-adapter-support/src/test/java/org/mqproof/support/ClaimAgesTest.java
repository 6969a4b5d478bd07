package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A claim is its age in seconds. A period of 8 s hides for 10 s. */
class ClaimAgesTest {

  private final ClaimAges<Long> ages =
      new ClaimAges<>(
          new ClaimingMq.Bounds(Duration.ofSeconds(5), Duration.ofSeconds(8)),
          TimeUnit.SECONDS::toNanos);

  @Test
  void halfOfTheReserveIsLeftForTheWayOfAnAck() {
    List<Long> all = List.of(7L, 8L, 9L);

    assertThat(ages.tooOldToAck(all)).containsExactly(9L);
    assertThat(ages.over(all)).containsExactlyInAnyOrder(8L, 9L);
    assertThat(ClaimAges.without(ages.over(all), all)).containsExactly(7L);
  }

  @Test
  void nothingIsAskedForWhenTheOldestMayHaveEnded() {
    assertThat(secondsUntil(ages.deadlineNanos(List.of(1L, 8L)))).isBetween(1.0, 2.0);
    assertThat(secondsUntil(ages.deadlineNanos(List.of(1L)))).isBetween(4.0, 5.0);
    assertThat(secondsUntil(ages.deadlineNanos(List.of()))).isBetween(4.0, 5.0);
  }

  private static double secondsUntil(long deadlineNanos) {
    return (deadlineNanos - System.nanoTime()) / 1e9;
  }
}
