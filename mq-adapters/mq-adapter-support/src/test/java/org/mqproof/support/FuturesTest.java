package org.mqproof.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FuturesTest {

  private final CompletableFuture<String> own = new CompletableFuture<>();

  @Test
  void whatACallerDoesToItsCopyChangesNothingElse() {
    CompletableFuture<String> cancelled = Futures.copy(own);
    CompletableFuture<String> kept = Futures.copy(own);
    assertThat(cancelled.cancel(true)).isTrue();
    assertThat(own).isNotDone();
    own.complete("a");

    assertThat(kept).isCompletedWithValue("a");
  }

  @Test
  void aFailureIsNotWrapped() {
    Exception failure = new Exception("x");
    CompletableFuture<String> copy = Futures.copy(own.thenApply(text -> text));
    own.completeExceptionally(failure);

    assertThat(copy.handle((text, thrown) -> thrown).join()).isSameAs(failure);
  }

  @Test
  void whatOnlyCarriesAFailureIsLeftOutOfTheReason() {
    Throwable carried =
        new CompletionException(new ExecutionException(new IllegalStateException("gone")));

    assertThat(Causes.first(carried)).isInstanceOf(IllegalStateException.class);
    assertThat(Causes.reason(carried)).isEqualTo("gone");
    assertThat(Causes.reason(new Exception(" ", new Exception("within")))).isEqualTo("within");
    assertThat(Causes.reason(new Exception())).isEqualTo("Exception");
  }
}
