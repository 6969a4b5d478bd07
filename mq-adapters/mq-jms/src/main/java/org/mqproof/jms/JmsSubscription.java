package org.mqproof.jms;

import jakarta.jms.JMSException;
import java.util.List;

/**
 * One claim on a broker's queue. Ends with its connection, which gives back what was not acked. For
 * one thread at a time.
 */
public interface JmsSubscription {

  /**
   * Acks messages and waits until the broker has settled all of them, or none.
   *
   * @param runs in the order of arrival; no message twice
   * @throws JMSException if the broker did not confirm: whatever was acked may come back
   */
  void ack(List<Run> runs) throws JMSException;

  /**
   * Whether the broker has ended this claim, as it may do when the queue is deleted. Any thread may
   * ask.
   *
   * @return false also where the broker does not tell
   */
  boolean isEnded();

  /**
   * Messages that arrived one after the other, and of which none was acked so far; between them
   * nothing is unacked that is not in the run.
   *
   * @param handles as given to {@link JmsSink#arrived}, at least one
   * @param fromFirst whether nothing that arrived before them is unacked
   */
  record Run(List<Object> handles, boolean fromFirst) {

    /**
     * The last of them.
     *
     * @return its handle
     */
    public Object last() {
      return handles.get(handles.size() - 1);
    }
  }
}
