package org.mqproof.support;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/**
 * Tracks whether a connection is open, and which senders and receivers are open over it.
 *
 * <p>Thread-safe.
 *
 * @param <S> the adapter's senders
 * @param <R> the adapter's receivers
 */
public final class OpenParts<S extends Sender, R extends Receiver> {

  private final String endpoint;
  private final Set<S> senders = ConcurrentHashMap.newKeySet();
  private final Set<R> receivers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * For an open connection.
   *
   * @param endpoint names the system in error messages; holds no secret
   */
  public OpenParts(String endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Returns the senders.
   *
   * @return those that were added; the adapter removes a sender that closes
   */
  public Set<S> senders() {
    return senders;
  }

  /**
   * Returns the receivers.
   *
   * @return those that were added; the adapter removes a receiver that closes
   */
  public Set<R> receivers() {
    return receivers;
  }

  /**
   * Adds a sender; closes it if the connection was closed meanwhile.
   *
   * @param sender a new one
   * @return the same
   * @throws IllegalStateException if the connection is closed
   */
  public S add(S sender) {
    senders.add(sender);
    closeIfLate(sender::close);
    return sender;
  }

  /**
   * Adds a receiver; closes it if the connection was closed meanwhile.
   *
   * @param receiver a new one
   * @return the same
   * @throws IllegalStateException if the connection is closed
   */
  public R add(R receiver) {
    receivers.add(receiver);
    closeIfLate(receiver::close);
    return receiver;
  }

  private void closeIfLate(Runnable close) {
    if (closed.get()) { // by another thread, which may have missed this one
      close.run();
    }
    requireOpen();
  }

  /**
   * Checks that the connection is open.
   *
   * @throws IllegalStateException if it is closed
   */
  public void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("this connection to " + endpoint + " is closed");
    }
  }

  /**
   * Closes this, but none of its parts.
   *
   * @return whether it was open
   */
  public boolean beginClose() {
    return closed.compareAndSet(false, true);
  }
}
