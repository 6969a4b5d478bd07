package org.mqproof.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.Causes;

/**
 * A connection for questions and orders, not for messages: opened when it is first needed, and
 * again after it broke. Thread-safe; one call at a time.
 */
final class HeldConnection {

  /** Something that can be done twice without harm. */
  interface Call<T> {
    T run(Connection connection) throws JMSException;
  }

  private final Nodes nodes;
  private final JmsSettings settings;
  private final JmsBroker.Role role;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Connection held; // guarded by lock
  private volatile boolean closed;

  HeldConnection(Nodes nodes, JmsSettings settings, JmsBroker.Role role) {
    this.nodes = nodes;
    this.settings = settings;
    this.role = role;
  }

  /**
   * Connects now.
   *
   * @throws MqException if no node serves within the time
   */
  void open(Duration time) {
    lock.lock();
    try {
      held = nodes.connect(role, time);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does something, and once more over a new connection if this one turns out to be broken.
   *
   * @param what in errors, after "cannot"
   * @throws MqException if it failed
   * @throws IllegalStateException if this is closed
   */
  <T> T call(String what, Call<T> call) {
    try {
      if (!lock.tryLock(settings.stepBound().toNanos(), TimeUnit.NANOSECONDS)) {
        throw new MqException(settings.endpoint() + ": cannot " + what + ": another call hangs");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MqException(settings.endpoint() + ": interrupted, cannot " + what, e);
    }
    try {
      if (closed) {
        throw new IllegalStateException("this connection to " + settings.endpoint() + " is closed");
      }
      Connection used = held;
      if (used != null) {
        try {
          return call.run(used);
        } catch (JMSException | RuntimeException e) {
          drop(used); // perhaps it broke while nobody used it
        }
      }
      Connection fresh = nodes.connect(role, settings.stepBound());
      held = fresh;
      try {
        return call.run(fresh);
      } catch (JMSException | RuntimeException e) {
        drop(fresh);
        throw new MqException(
            "%s: cannot %s: %s".formatted(settings.endpoint(), what, Causes.reason(e)), e);
      }
    } finally {
      lock.unlock();
      if (closed) { // close() may have given up waiting for this call
        dropUnlessUsed(0);
      }
    }
  }

  private void drop(Connection broken) {
    held = null;
    Exception unused = nodes.close(broken);
  }

  /**
   * Ends it for good: now, or, if a call still hangs at the deadline, with that call.
   *
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   */
  void close(long deadlineNanos) {
    closed = true;
    dropUnlessUsed(Math.max(0, deadlineNanos - System.nanoTime()));
  }

  private void dropUnlessUsed(long waitNanos) {
    boolean interrupted = Thread.interrupted();
    try {
      if (lock.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
        try {
          Connection last = held;
          if (last != null) {
            drop(last);
          }
        } finally {
          lock.unlock();
        }
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
