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
    requireDeadlineAfter(2, List.of(1L, 8L));
    requireDeadlineAfter(5, List.of(1L));
    requireDeadlineAfter(5, List.of());
  }

  private void requireDeadlineAfter(int seconds, List<Long> claims) {
    long before = System.nanoTime();
    long deadline = ages.deadlineNanos(claims) - TimeUnit.SECONDS.toNanos(seconds);
    assertThat(deadline - before).isBetween(0L, System.nanoTime() - before);
  }
}
