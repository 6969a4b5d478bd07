package org.mqproof.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mqproof.pulsar.Admin.Answer;

class NamespacePromiseTest {

  private static Answer answer(String text) {
    return new Answer(200, text);
  }

  /** As Pulsar 4.2.4 says it of itself, shortened. */
  @Test
  void brokersAndNamespacesAsTheyComeAreFine() {
    assertThat(
            NamespacePromise.ofBroker(
                answer(
                    """
                    {"ttlDurationDefaultInSeconds":"0","subscriptionExpirationTimeMinutes":"0",
                     "backlogQuotaDefaultRetentionPolicy":"producer_request_hold"}""")))
        .isEmpty();
    assertThat(
            NamespacePromise.ofNamespace(
                answer(
                    """
                    {"backlog_quota_map":{},"message_ttl_in_seconds":null,"deleted":false,
                     "subscription_expiration_time_minutes":-1}""")))
        .isEmpty();
  }

  @Test
  void whatDropsMessagesIsNamedWithItsValue() {
    assertThat(
            NamespacePromise.ofBroker(
                answer(
                    """
                    {"ttlDurationDefaultInSeconds":"60","subscriptionExpirationTimeMinutes":"5",
                     "backlogQuotaDefaultRetentionPolicy":"consumer_backlog_eviction"}""")))
        .containsExactly(
            "ttlDurationDefaultInSeconds is 60, must be 0",
            "subscriptionExpirationTimeMinutes is 5, must be 0",
            "backlogQuotaDefaultRetentionPolicy is consumer_backlog_eviction, must be"
                + " producer_request_hold");
    assertThat(
            NamespacePromise.ofNamespace(
                answer(
                    """
                    {"backlog_quota_map":{"destination_storage":{"limitSize":1000,
                     "policy":"consumer_backlog_eviction"}},"message_ttl_in_seconds" : 60,
                     "subscription_expiration_time_minutes":7}""")))
        .containsExactly(
            "message_ttl_in_seconds is 60, must be 0",
            "subscription_expiration_time_minutes is 7, must be 0",
            "policy is consumer_backlog_eviction, must be producer_request_hold");
  }

  @Test
  void whatMayNotBeSeenIsNotChecked() {
    assertThat(NamespacePromise.ofBroker(new Answer(403, "message_ttl_in_seconds: 1"))).isEmpty();
    assertThat(NamespacePromise.ofNamespace(new Answer(401, "\"message_ttl_in_seconds\":1")))
        .isEmpty();
  }
}
