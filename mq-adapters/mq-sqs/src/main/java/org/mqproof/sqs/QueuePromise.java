package org.mqproof.sqs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a queue's own attributes would do against the promise. Thread-safe: no state. */
final class QueuePromise {

  private QueuePromise() {}

  /**
   * What is wrong with a queue.
   *
   * @param attributes what the service says of it; what it does not say is not checked
   * @return each as "attribute is value, must be ..."; empty if the promise can be kept
   */
  static List<String> broken(SqsSettings settings, Map<String, String> attributes) {
    List<String> broken = new ArrayList<>();
    String redrive = attributes.getOrDefault("RedrivePolicy", "");
    if (!redrive.isBlank()) {
      broken.add("RedrivePolicy is " + redrive + ", must be none");
    }
    requireAtLeast(
        attributes, "MessageRetentionPeriod", Transport.LONGEST_RETENTION.toSeconds(), broken);
    requireAtLeast(
        attributes, "MaximumMessageSize", settings.get(SqsSettings.MAX_MESSAGE_BYTES), broken);
    return broken;
  }

  private static void requireAtLeast(
      Map<String, String> attributes, String name, long least, List<String> broken) {
    String value = attributes.get(name);
    if (value != null && Long.parseLong(value) < least) {
      broken.add("%s is %s, must be at least %d".formatted(name, value, least));
    }
  }
}
