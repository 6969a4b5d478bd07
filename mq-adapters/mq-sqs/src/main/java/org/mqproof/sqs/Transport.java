package org.mqproof.sqs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests to SQS that are needed here, whichever SDK makes them. Each is attempted once, ends
 * within a bound, and fails with {@link RequestFailed} or what the SDK threw. Futures complete on
 * the SDK's threads.
 *
 * <p>Thread-safe.
 */
interface Transport extends AutoCloseable {

  /** Most messages of one request. */
  int MOST = 10;

  /** How long a queue created here keeps a message: the longest that the service allows. */
  Duration LONGEST_RETENTION = Duration.ofDays(14);

  /**
   * A message that was received, claimed by its handle.
   *
   * @param id the service's id, for errors
   * @param handle names this claim; a later one of the same message has another
   * @param text the body's text
   */
  record Taken(String id, String handle, String text) {}

  /** The URL of a queue; fails with {@link RequestFailed#isMissingQueue()} if there is none. */
  CompletableFuture<String> queueUrl(String name);

  /** Creates a queue that keeps messages as long as the service allows. */
  CompletableFuture<?> createQueue(String name);

  /** What a queue is configured to do, by the service's own names; what it does not say lacks. */
  CompletableFuture<Map<String, String>> attributes(String url);

  CompletableFuture<?> deleteQueue(String url);

  /**
   * Stores messages.
   *
   * @param texts 1 to {@value #MOST}
   * @return one entry per text, null if it is stored
   */
  CompletableFuture<List<@Nullable RequestFailed>> send(String url, List<String> texts);

  /**
   * Claims messages.
   *
   * @param max 1 to {@value #MOST}
   * @param waitSeconds 0 for what is here, else how long to wait for the first
   * @param claimSeconds how long they are claimed
   */
  CompletableFuture<List<Taken>> receive(String url, int max, int waitSeconds, int claimSeconds);

  /**
   * Deletes claimed messages.
   *
   * @param handles 1 to {@value #MOST}
   * @return one entry per handle, null if the service agreed
   */
  CompletableFuture<List<@Nullable RequestFailed>> delete(String url, List<String> handles);

  /**
   * Gives claimed messages back.
   *
   * @param handles 1 to {@value #MOST}
   * @return one entry per handle, null if it is given back
   */
  CompletableFuture<List<@Nullable RequestFailed>> release(String url, List<String> handles);

  /** Ends every request and frees threads and connections. Bounded; called once. */
  @Override
  void close();
}
