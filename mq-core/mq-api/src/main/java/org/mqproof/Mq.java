package org.mqproof;

/**
 * A connection to one messaging system.
 *
 * <p>Thread-safe. Senders and receivers made from one {@code Mq} may share its connections and run
 * in different threads. Every method is bounded by {@link Traits#callBound()} and throws {@link
 * MqException}, naming the endpoint, when the system does not answer in that time.
 */
public interface Mq extends AutoCloseable {

  /**
   * Creates a queue that is persistent and replicated as {@link #traits()} declares. Idempotent: an
   * existing queue and its messages stay as they are.
   *
   * @param queue 1 to 200 characters out of {@code [a-zA-Z0-9._-]}, not {@code "."} or {@code ".."}
   * @throws IllegalArgumentException if the name is not valid
   * @throws MqException if the system refused, or did not answer; then the queue may exist
   */
  void createQueue(String queue);

  /**
   * Deletes a queue and its messages, and no other queue. Idempotent: a queue that does not exist
   * stays so. Senders and receivers of it that are open fail soon afterwards. Once a queue of this
   * name is created again, they fail or belong to it: what such a sender confirms is delivered by
   * the new queue.
   *
   * @param queue a name as in {@link #createQueue}
   * @throws MqException if the system refused, or did not answer; then the queue may be gone
   */
  void deleteQueue(String queue);

  /**
   * Opens a sender.
   *
   * @param queue a queue that exists
   * @return a new sender, for one thread at a time
   * @throws MqException if the queue does not exist or the system does not answer
   */
  Sender sender(String queue);

  /**
   * Opens a receiver. Receivers of one queue compete: each message goes to one of them.
   *
   * @param queue a queue that exists
   * @return a new receiver, for one thread at a time
   * @throws MqException if the queue does not exist or the system does not answer
   */
  Receiver receiver(String queue);

  /**
   * What this connection promises in its configured mode.
   *
   * @return the same value at every call
   */
  Traits traits();

  /**
   * Closes every sender and receiver made from here, then the connection. Idempotent; leaves no
   * thread and no connection behind. Afterwards every other method but {@link #traits()} throws
   * {@link IllegalStateException}.
   */
  @Override
  void close();
}
