package org.mqproof.jms;

/** Takes what a subscription brings. Thread-safe. */
public interface JmsSink {

  /**
   * Takes one message; waits while {@code prefetch} messages are unacked, unless the subscription
   * is closing.
   *
   * @param handle what the subscription needs in order to ack it
   * @param body its body, the receiver's from now on
   */
  void arrived(Object handle, byte[] body);

  /**
   * The subscription ended: its claims are lost, or will be.
   *
   * @param cause what the client said
   */
  void failed(Exception cause);
}
