package org.mqproof.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoadTest {

  @Test
  void aBacklogIsTakenToItsLastMessage() throws Exception {
    int[] taken = {0};
    Rate rate =
        Load.ofBacklog(
            1_000,
            100,
            () -> {
              taken[0] += 10;
              return 10;
            });

    assertThat(taken[0]).isEqualTo(1_000);
    assertThat(rate.messagesPerSecond()).isPositive();
  }

  @Test
  void severalThreadsTakeABacklogUntilTheLastMessageThatCounts() throws Exception {
    AtomicInteger left = new AtomicInteger(1_000);
    Load.Worker worker =
        () ->
            () -> {
              Thread.sleep(1); // as a broker would take
              return left.getAndAdd(-10) > 0 ? 10 : 0;
            };

    Rate rate = Load.ofBacklog(100, 900, List.of(worker, worker));

    assertThat(left.get()).isLessThanOrEqualTo(100);
    // 20,000 a second, and more by what a worker took just before the count began.
    assertThat(rate.messagesPerSecond()).isBetween(10.0, 100_000.0);
  }

  @Test
  void aWorkerThatFailsEndsABacklogToo() {
    Load.Worker failing =
        () -> {
          throw new IllegalStateException("on purpose");
        };

    assertThatThrownBy(() -> Load.ofBacklog(1, 2, List.of(failing)))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("on purpose");
  }

  @Test
  void aWorkerThatFailsLeavesNoRate() {
    Load.Worker failing =
        () -> {
          throw new IllegalStateException("on purpose");
        };

    // The first one waits for what the other does not do any more.
    CompletableFuture<Integer> neverComes = new CompletableFuture<>();
    Load.Worker waiting = () -> neverComes::get;

    assertThatThrownBy(() -> Load.of(List.of(waiting, failing)))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("on purpose");
  }

  @Test
  void messagesHaveTheSizeThatWasAskedFor() {
    assertThat(Load.messages(3, 100))
        .hasSize(3)
        .allSatisfy(message -> assertThat(message.body()).hasSize(100));
  }
}
