package org.mqproof.support;

import java.time.Duration;
import java.util.regex.Pattern;

/** Checks arguments of callers. No state. */
public final class Arguments {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private static final Pattern QUEUE_NAME = Pattern.compile("[a-zA-Z0-9._-]{1,200}");

  private Arguments() {}

  /**
   * Checks the name of a queue: 1 to 200 letters, digits, dots, dashes or underscores, neither
   * {@code .} nor {@code ..}.
   *
   * @param queue the name
   * @throws IllegalArgumentException if it is not valid
   */
  public static void requireQueueName(String queue) {
    if (!QUEUE_NAME.matcher(queue).matches() || queue.equals(".") || queue.equals("..")) {
      throw new IllegalArgumentException(
          "a queue's name has 1 to 200 letters, digits, dots, dashes or underscores, and is"
              + " neither '.' nor '..'; was '"
              + queue
              + "'");
    }
  }

  /**
   * Checks the arguments of {@code receive}.
   *
   * @param max most messages, at least 1
   * @param timeout longest wait, zero or more
   * @return the timeout in ns, at most half of {@link Long#MAX_VALUE}, so that adding it to {@link
   *     System#nanoTime()} does not overflow a comparison
   * @throws IllegalArgumentException if either is out of range
   */
  public static long timeoutNanos(int max, Duration timeout) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1, was " + max);
    }
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
    }
    return (timeout.compareTo(LONGEST) >= 0 ? LONGEST : timeout).toNanos();
  }
}
