package org.mqproof.sqs;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.mqproof.support.Arguments;

/** Names of queues, here and at the service. Thread-safe: no state. */
final class QueueName {

  /** What SQS allows for a standard queue. */
  private static final Pattern VALID_AT_SQS = Pattern.compile("[a-zA-Z0-9_-]{1,80}");

  /** With the hash it has 79 characters. */
  private static final String HASHED = "mqproof-sha256-";

  private QueueName() {}

  /**
   * The name that a queue has at the service: its own, or if SQS does not allow that, its hash. No
   * two queues have the same.
   *
   * @throws IllegalArgumentException if the queue's name is not valid
   */
  static String atSqs(String queue) {
    Arguments.requireQueueName(queue);
    if (queue.endsWith(".fifo")) {
      throw new IllegalArgumentException(
          "sqs: queue %s: a name that ends in .fifo is one of a FIFO queue, which is not supported"
              .formatted(queue));
    }
    return VALID_AT_SQS.matcher(queue).matches() && !queue.startsWith(HASHED)
        ? queue
        : HASHED + sha256(queue);
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256")
                  .digest(text.getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
