package org.mqproof.pulsar;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mqproof.pulsar.Admin.Answer;

/**
 * What the configuration of a broker, or the policies of a namespace, would do against the promise:
 * Pulsar can drop messages by age, make room by dropping those nobody received, and delete a
 * subscription, with all that waits in it, which had no receiver for a time. Thread-safe: no state.
 */
final class NamespacePromise {

  private static final String EVICTION = "consumer_backlog_eviction";

  private NamespacePromise() {}

  /**
   * What is wrong with a broker.
   *
   * @param configuration its answer; nothing is checked if this user may not see it
   * @return each as "setting is value, must be ..."; empty if the promise can be kept
   */
  static List<String> ofBroker(Answer configuration) {
    List<String> broken = new ArrayList<>();
    if (configuration.isDone()) {
      requireZero(configuration, "ttlDurationDefaultInSeconds", broken);
      requireZero(configuration, "subscriptionExpirationTimeMinutes", broken);
      requireNoEviction(configuration, "backlogQuotaDefaultRetentionPolicy", broken);
    }
    return broken;
  }

  /**
   * What is wrong with a namespace.
   *
   * @param policies its answer; nothing is checked if this user may not see it
   * @return each as "policy is value, must be ..."; empty if the promise can be kept
   */
  static List<String> ofNamespace(Answer policies) {
    List<String> broken = new ArrayList<>();
    if (policies.isDone()) {
      requireZero(policies, "message_ttl_in_seconds", broken);
      requireZero(policies, "subscription_expiration_time_minutes", broken);
      requireNoEviction(policies, "policy", broken); // of a backlog quota, and nothing else's name
    }
    return broken;
  }

  /** What is not said, or below 0, is left to the broker. */
  private static void requireZero(Answer answer, String key, List<String> broken) {
    Matcher value =
        Pattern.compile("\"" + key + "\"\\s*:\\s*\"?([1-9]\\d*)").matcher(answer.text());
    if (value.find()) {
      broken.add("%s is %s, must be 0".formatted(key, value.group(1)));
    }
  }

  private static void requireNoEviction(Answer answer, String key, List<String> broken) {
    if (Pattern.compile("\"" + key + "\"\\s*:\\s*\"" + EVICTION + "\"")
        .matcher(answer.text())
        .find()) {
      broken.add("%s is %s, must be producer_request_hold".formatted(key, EVICTION));
    }
  }
}
