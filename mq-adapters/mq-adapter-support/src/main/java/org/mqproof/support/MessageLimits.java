package org.mqproof.support;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Traits;

/** What a system carries in one message. Immutable. */
public final class MessageLimits {

  private final int largestBodyBytes;
  private final int mostHeaders;
  private final int largestHeadersBytes;
  private final Predicate<String> reserved;

  private MessageLimits(Traits traits, Predicate<String> reserved) {
    largestBodyBytes = traits.largestBodyBytes();
    mostHeaders = traits.mostHeaders();
    largestHeadersBytes = traits.largestHeadersBytes();
    this.reserved = reserved;
  }

  /**
   * The limits that traits declare.
   *
   * @param traits of the connection
   * @return limits without reserved names
   */
  public static MessageLimits of(Traits traits) {
    return of(traits, name -> false);
  }

  /**
   * The limits that traits declare, and names that the system uses itself.
   *
   * @param traits of the connection
   * @param reserved whether the system reserves the name of a header
   * @return limits
   */
  public static MessageLimits of(Traits traits, Predicate<String> reserved) {
    return new MessageLimits(traits, reserved);
  }

  /**
   * Why a message cannot be sent. It is then rejected, and no other of its batch.
   *
   * @param message any message
   * @return a clause, or null if the message can be sent
   */
  public @Nullable String refusal(Message message) {
    if (message.sizeBytes() > largestBodyBytes) {
      return "a message of %d bytes is too large, the largest is %d"
          .formatted(message.sizeBytes(), largestBodyBytes);
    }
    return message.headers().isEmpty() ? null : refusalOfHeaders(message);
  }

  private @Nullable String refusalOfHeaders(Message message) {
    if (message.headers().size() > mostHeaders) {
      return "%d headers are too many, the most is %d"
          .formatted(message.headers().size(), mostHeaders);
    }
    if (message.headersBytes() > largestHeadersBytes) {
      return "headers of %d bytes are too large, the largest are %d"
          .formatted(message.headersBytes(), largestHeadersBytes);
    }
    for (String name : message.headers().keySet()) {
      if (reserved.test(name)) {
        return "the header " + name + " is reserved";
      }
    }
    return null;
  }
}
