package org.mqproof.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.activemq.artemis.api.core.JsonUtil;
import org.junit.jupiter.api.Test;

/** As the broker tells its address-settings: those that somebody has set, and no default. */
class QueuePromiseTest {

  private static List<String> broken(String settings) {
    return QueuePromise.ofAddress(JsonUtil.readJsonObject(settings));
  }

  @Test
  void aBrokerOutOfTheBoxIsNot() {
    assertThat(broken("{}"))
        .containsExactly("max-delivery-attempts is 10, the default, must be -1");
  }

  @Test
  void whatKeepsMessagesIsFine() {
    assertThat(broken("{\"maxDeliveryAttempts\":-1,\"addressFullMessagePolicy\":\"PAGE\"}"))
        .isEmpty();
    assertThat(
            broken("{\"maxDeliveryAttempts\":-1,\"noExpiry\":true,\"maxExpiryDelay\":9000000000}"))
        .as("nothing expires")
        .isEmpty();
  }

  @Test
  void whatLosesThemIsNamedWithItsValue() {
    assertThat(
            broken(
                "{\"maxDeliveryAttempts\":3,\"addressFullMessagePolicy\":\"DROP\","
                    + "\"expiryDelay\":9000000000,\"autoDeleteCreatedQueues\":true}"))
        .containsExactly(
            "max-delivery-attempts is 3, must be -1",
            "address-full-policy is DROP, must be PAGE, FAIL or BLOCK",
            "expiry-delay is 9000000000, must be -1",
            "auto-delete-created-queues is true, must be false");
  }
}
