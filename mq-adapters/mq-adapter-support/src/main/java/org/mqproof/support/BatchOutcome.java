package org.mqproof.support;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.mqproof.SendFailedException;

/** Waits for the outcome of a batch in the thread that called {@code send}. No state. */
public final class BatchOutcome {

  private BatchOutcome() {}

  /**
   * Waits until a batch has ended, and gives it up if that takes too long.
   *
   * @param done completes when the batch has ended; with nothing, or a {@link SendFailedException}
   * @param leftNanos longest wait; no wait if zero or negative
   * @param giveUp must end the batch
   * @throws SendFailedException if not every message was confirmed; its trace shows the caller
   * @throws InterruptedException if the thread is interrupted; the batch goes on
   */
  public static void await(
      CompletableFuture<Void> done, long leftNanos, Consumer<TimeoutException> giveUp)
      throws InterruptedException {
    try {
      await(done, leftNanos);
    } catch (TimeoutException late) {
      giveUp.accept(late);
      awaitEnd(done);
    }
  }

  private static void await(CompletableFuture<Void> done, long leftNanos)
      throws InterruptedException, TimeoutException {
    try {
      done.get(Math.max(0, leftNanos), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  /**
   * Waits until a batch has ended. Something else must give it up in time.
   *
   * @param done as of {@link #await}
   * @throws SendFailedException as {@link #await} does
   * @throws InterruptedException as {@link #await} does
   */
  public static void awaitEnd(CompletableFuture<Void> done) throws InterruptedException {
    try {
      done.get();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  /** Nobody else has this exception yet; its trace still shows the thread that completed it. */
  private static RuntimeException failure(ExecutionException e) {
    if (!(e.getCause() instanceof SendFailedException failed)) {
      return new IllegalStateException("a batch fails with SendFailedException only", e);
    }
    Throwable unused = failed.fillInStackTrace();
    return failed;
  }
}
