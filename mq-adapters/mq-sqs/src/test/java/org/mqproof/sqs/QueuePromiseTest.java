package org.mqproof.sqs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mqproof.spi.Settings;

class QueuePromiseTest {

  private static List<String> broken(Map<String, String> attributes) {
    return QueuePromise.broken(
        new SqsSettings(Settings.of(new SqsMqProvider(), Map.of("endpoint", "http://localhost:1"))),
        attributes);
  }

  /** As the service has them of a queue that was created here, and as another server may not. */
  @Test
  void aQueueThatKeepsEverythingIsFine() {
    assertThat(
            broken(
                Map.of(
                    "MessageRetentionPeriod", "1209600",
                    "MaximumMessageSize", "1048576",
                    "VisibilityTimeout", "1",
                    "RedrivePolicy", "")))
        .isEmpty();
    assertThat(broken(Map.of())).isEmpty();
  }

  @Test
  void whatEndsThePromiseIsNamedWithItsValue() {
    assertThat(
            broken(
                Map.of(
                    "MessageRetentionPeriod", "345600",
                    "MaximumMessageSize", "1024",
                    "RedrivePolicy", "{\"maxReceiveCount\":3}")))
        .containsExactly(
            "RedrivePolicy is {\"maxReceiveCount\":3}, must be none",
            "MessageRetentionPeriod is 345600, must be at least 1209600",
            "MaximumMessageSize is 1024, must be at least 262144");
  }
}
