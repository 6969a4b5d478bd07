package org.mqproof.comparison;

import java.util.Map;

/**
 * A client of one queue, which it makes and deletes. Thread-safe; each step is for the thread that
 * made it.
 */
public interface QueueClient {

  /** Connects, and makes the queue. */
  @FunctionalInterface
  interface Factory {

    /**
     * Connects.
     *
     * @param settings as a side gets them
     * @return the client of a new queue
     * @throws Exception if it failed
     */
    QueueClient connect(Map<String, String> settings) throws Exception;
  }

  /**
   * Makes the step of a thread that sends.
   *
   * @return sends one batch, when the window allows it; counts what has been confirmed
   * @throws Exception if it failed
   */
  Load.Step sender() throws Exception;

  /**
   * Makes the step of a thread that receives.
   *
   * @return receives at most one batch, or waits for a moment, and acks it; counts what is acked
   * @throws Exception if it failed
   */
  Load.Step receiver() throws Exception;

  /**
   * Deletes the queue and disconnects.
   *
   * @throws Exception if it failed
   */
  void close() throws Exception;
}
