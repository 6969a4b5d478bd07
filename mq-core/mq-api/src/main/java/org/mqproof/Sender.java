package org.mqproof;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends to one queue.
 *
 * <p>Not thread-safe: one sender, one thread at a time. Futures complete on any thread; what is
 * attached to them must not block.
 */
public interface Sender extends AutoCloseable {

  /**
   * Sends a batch and waits until every message is as safe as {@link Traits} declares. The bodies
   * are the caller's again when this returns or throws.
   *
   * @param batch any number of messages; an empty batch returns at once. A message that the system
   *     cannot carry, by {@link Traits#largestBodyBytes()}, {@link Traits#mostHeaders()}, {@link
   *     Traits#largestHeadersBytes()} or a name of a header that it reserves, is {@link
   *     Outcome#REJECTED} and harms no other
   * @throws SendFailedException if any message was not confirmed within the configured bound; it
   *     holds one {@link Outcome} per message
   * @throws InterruptedException if the thread was interrupted; the outcome of the whole batch is
   *     then unknown, and its bodies must not be changed any more
   * @throws IllegalStateException if this sender is closed
   */
  void send(List<Message> batch) throws InterruptedException;

  /**
   * Starts to send a batch; the same promise as {@link #send}, later. Batches of one sender are
   * stored in the order of the calls as far as {@link Traits#ordering()} promises. May wait, at
   * most {@link Traits#callBound()}, while the client's own buffer is full. The list is the
   * caller's again when this returns; the bodies must not be changed until the future completes.
   *
   * @param batch any number of messages
   * @return completes when all are safe, or exceptionally with {@link SendFailedException}. A copy
   *     for the caller: completing or cancelling it changes nothing else
   * @throws IllegalStateException if this sender is closed
   */
  CompletableFuture<Void> sendAsync(List<Message> batch);

  /**
   * Waits, at most {@link Traits#callBound()}, for the outcome of what {@link #sendAsync} started,
   * then closes. What is still open then completes as {@link Outcome#UNKNOWN}. Idempotent.
   */
  @Override
  void close();
}
