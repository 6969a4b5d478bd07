package org.mqproof.support;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

  private final Rounds<List<Integer>> rounds = new Rounds<>(ArrayList::new);
  private final List<Integer> written = new ArrayList<>();

  private void write(List<Integer> round) {
    written.addAll(
        round.subList((int) round.stream().filter(written::contains).count(), round.size()));
  }

  @Test
  void whatComesWhileAnAnswerIsAwaitedGathersForTheNextRound() {
    rounds.gathering().add(1);
    List<Integer> first = requireNonNull(rounds.next(false, this::write));
    rounds.gathering().add(2);

    assertThat(first).containsExactly(1);
    assertThat(rounds.isUnderWay(first)).isTrue();
    assertThat(rounds.next(false, this::write)).isNull();
    assertThat(written).containsExactly(1);

    rounds.end();
    assertThat(rounds.isUnderWay()).isFalse();
    assertThat(rounds.next(false, this::write)).containsExactly(2);
    assertThat(written).containsExactly(1, 2);
  }

  @Test
  void muchIsWrittenAtOnceAndGathersOn() {
    rounds.begin(List.of());
    rounds.gathering().add(1);

    assertThat(rounds.next(true, this::write)).isNull();
    rounds.gathering().add(2);
    assertThat(written).containsExactly(1);
    assertThat(rounds.gathering()).containsExactly(1, 2);
  }

  @Test
  void whatIsAbandonedIsTheRoundUnderWayAndTheOneThatGathered() {
    rounds.gathering().add(1);
    List<Integer> first = requireNonNull(rounds.next(false, this::write));
    rounds.gathering().add(2);

    assertThat(rounds.abandon()).containsExactly(List.of(1), List.of(2));
    assertThat(rounds.isUnderWay(first)).isFalse();
    assertThat(rounds.gathering()).isEmpty();
  }
}
