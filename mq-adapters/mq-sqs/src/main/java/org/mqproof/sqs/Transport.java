package org.mqproof.sqs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The requests to SQS that are needed here, whichever SDK makes them. Each is attempted again after
 * an error of the service that is said to pass, at most {@value #ATTEMPTS} times in all, ends
 * within a bound, and fails with {@link RequestFailed} or what the SDK threw. Futures complete on
 * the SDK's threads.
 *
 * <p>Thread-safe.
 */
interface Transport extends AutoCloseable {

  /** How often a request is made that the service answers with an error of its own. */
  int ATTEMPTS = 3;

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
   * @param headers those attributes that are texts
   * @param receiveCount how often the service has handed it out
   */
  record Taken(
      String id, String handle, String text, Map<String, String> headers, int receiveCount) {

    /** By the service's own name of the count; 1 if it does not say. */
    static int count(Map<String, String> systemAttributes) {
      return Integer.parseInt(systemAttributes.getOrDefault(RECEIVE_COUNT, "1"));
    }
  }

  /** The system attribute that counts deliveries. */
  String RECEIVE_COUNT = "ApproximateReceiveCount";

  /** A message to be stored. */
  record Outgoing(String text, Map<String, String> headers) {}

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
   * @param messages 1 to {@value #MOST}
   * @return one entry per message, null if it is stored
   */
  CompletableFuture<List<@Nullable RequestFailed>> send(String url, List<Outgoing> messages);

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

  /** A claim that begins when the service is asked for it; one of no time gives back. */
  record Claim(String handle, int seconds) {}

  /**
   * Lets claims begin now.
   *
   * @param claims 1 to {@value #MOST}
   * @return one entry per claim, null if the service agreed
   */
  CompletableFuture<List<@Nullable RequestFailed>> claim(String url, List<Claim> claims);

  /** Ends every request and frees threads and connections. Bounded; called once. */
  @Override
  void close();
}
