package org.mqproof.jms;

import org.mqproof.Message;

/** Takes what a subscription brings. Thread-safe. */
public interface JmsSink {

  /**
   * Waits while {@code prefetch} messages are unacked, unless the receiver is closing. For clients
   * that keep no such limit themselves, before {@link #arrived}; never for a thread that also reads
   * the answers to acks, for these make the room.
   */
  void awaitRoom();

  /**
   * Takes one message.
   *
   * @param handle what the subscription needs in order to ack it
   * @param message its body and headers, the receiver's from now on
   */
  void arrived(Object handle, Message message);

  /**
   * The subscription ended: its claims are lost, or will be.
   *
   * @param cause what the client said
   */
  void failed(Exception cause);
}
