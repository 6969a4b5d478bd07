package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import org.jspecify.annotations.Nullable;

/** What the broker or the client says, for our sentences. */
final class Errors {

  /** Of methods that make, delete or purge a queue, in the protocol. */
  private static final int QUEUE_CLASS = 50;

  private Errors() {}

  /** The broker's text where it said something, else the message of what was thrown last. */
  static String reason(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof ShutdownSignalException signal) {
        Method reason = signal.getReason();
        if (reason instanceof AMQP.Channel.Close close) {
          return close.getReplyText() + missingRight(close);
        }
        if (reason instanceof AMQP.Connection.Close close) {
          return close.getReplyText();
        }
        // Itself it only says "connection error".
        return e.getCause() == null ? text(e) : reason(e.getCause());
      }
    }
    Throwable shown = failure;
    while (isBlank(shown.getMessage()) && shown.getCause() != null) {
      shown = shown.getCause();
    }
    return text(shown);
  }

  /** Old brokers say that a right is missing, and not which. */
  private static String missingRight(AMQP.Channel.Close close) {
    if (close.getReplyCode() != AMQP.ACCESS_REFUSED) {
      return "";
    }
    boolean ofQueue = close.getClassId() == QUEUE_CLASS;
    return ofQueue ? ": the user has no right to configure it" : "";
  }

  /** Whether the broker knows no such queue. */
  static boolean isMissing(Throwable failure) {
    return replyCode(failure) == AMQP.NOT_FOUND;
  }

  /** Whether this user has not the right to it. */
  static boolean isDenied(Throwable failure) {
    return replyCode(failure) == AMQP.ACCESS_REFUSED;
  }

  /** With which the broker closed the channel; 0 if it did not. */
  private static int replyCode(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof ShutdownSignalException signal
          && signal.getReason() instanceof AMQP.Channel.Close close) {
        return close.getReplyCode();
      }
    }
    return 0;
  }

  private static String text(Throwable e) {
    return isBlank(e.getMessage()) ? e.getClass().getSimpleName() : String.valueOf(e.getMessage());
  }

  private static boolean isBlank(@Nullable String message) {
    return message == null || message.isBlank();
  }
}
