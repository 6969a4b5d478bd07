package org.mqproof.support;

import java.util.concurrent.CompletableFuture;

/** Futures that an adapter hands out. No state. */
public final class Futures {

  private Futures() {}

  /**
   * Copies a future for a caller, who may complete or cancel the copy: nothing else changes.
   *
   * @param <T> type of the result
   * @param future the adapter's own
   * @return completes with the same result or the same failure, not with a {@link
   *     java.util.concurrent.CompletionException} around it
   */
  public static <T> CompletableFuture<T> copy(CompletableFuture<T> future) {
    CompletableFuture<T> copy = new CompletableFuture<>();
    CompletableFuture<T> unused =
        future.whenComplete(
            (result, failure) -> {
              if (failure == null) {
                copy.complete(result);
              } else {
                copy.completeExceptionally(Causes.first(failure));
              }
            });
    return copy;
  }
}
