package org.mqproof.micrometer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks at futures as they complete. */
final class Futures {

  private Futures() {}

  /**
   * Calls the observer before anybody sees that the future has completed.
   *
   * @param done the caller's own future, which is not looked at in another way afterwards
   * @param observer is given the failure, or null
   * @return completes as {@code done} does, with the same failure
   */
  static CompletableFuture<Void> observed(
      CompletableFuture<Void> done, Consumer<@Nullable Throwable> observer) {
    if (done.isDone() && !done.isCompletedExceptionally()) {
      observer.accept(null);
      return done;
    }
    CompletableFuture<Void> result = new CompletableFuture<>();
    var unused =
        done.whenComplete(
            (nothing, failure) -> {
              try {
                observer.accept(causeOf(failure));
              } finally {
                if (failure == null) {
                  result.complete(null);
                } else {
                  result.completeExceptionally(failure);
                }
              }
            });
    return result;
  }

  private static @Nullable Throwable causeOf(@Nullable Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
