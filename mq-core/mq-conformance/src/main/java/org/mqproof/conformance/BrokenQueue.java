package org.mqproof.conformance;

/** Makes a queue that its system is configured to lose messages of. For one thread. */
@FunctionalInterface
public interface BrokenQueue {

  /**
   * Makes the queue, past the adapter. The kit deletes it.
   *
   * @param queue its name, as the adapter is given it
   * @return undoes what deleting the queue does not; the kit closes it before it deletes the queue
   * @throws Exception if it cannot be made
   */
  AutoCloseable make(String queue) throws Exception;
}
