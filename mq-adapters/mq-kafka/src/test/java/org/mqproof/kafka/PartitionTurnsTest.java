package org.mqproof.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionTurnsTest {

  private final AtomicLong clock = new AtomicLong(-5);
  private final PartitionTurns turns = new PartitionTurns(3, clock::get);

  @Test
  void batchesOfOneTurnShareAPartition() {
    int first = turns.next();
    clock.addAndGet(PartitionTurns.TURN_NANOS - 1);
    assertThat(turns.next()).isEqualTo(first);
  }

  @Test
  void rareBatchesVisitAllPartitionsInTurn() {
    List<Integer> visited =
        IntStream.range(0, 6)
            .map(
                i -> {
                  clock.addAndGet(PartitionTurns.TURN_NANOS);
                  return turns.next();
                })
            .boxed()
            .toList();
    assertThat(visited.subList(0, 3)).containsExactlyInAnyOrder(0, 1, 2);
    assertThat(visited.subList(3, 6)).isEqualTo(visited.subList(0, 3));
  }
}
