package org.mqproof.artemis;

import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration of a queue, and of its address, would do against the promise. The names
 * are those of {@code broker.xml}. Thread-safe: no state.
 */
final class QueuePromise {

  private QueuePromise() {}

  /**
   * What is wrong with a queue.
   *
   * @return each as "setting is value, must be ..."; empty if nothing is, or there is no such queue
   */
  static List<String> ofQueue(ClientSession.QueueQuery queue) {
    List<String> broken = new ArrayList<>();
    if (queue.isExists()) {
      require("durable", queue.isDurable(), true, broken);
      require("filter", queue.getFilterString(), null, broken);
      require("purge-on-no-consumers", queue.isPurgeOnNoConsumers(), false, broken);
      // Gone while it is empty and a sender is still there, whose next message then has no queue.
      require("auto-delete", queue.isAutoDelete(), false, broken);
      require("last-value", queue.isLastValue(), false, broken);
      require("non-destructive", queue.isNonDestructive(), false, broken);
      require("ring-size", queue.getRingSize(), -1L, broken);
    }
    return broken;
  }

  /**
   * What is wrong with an address.
   *
   * @param settings of the broker, which match the address; only those that somebody has set
   * @return each as "setting is value, must be ..."; empty if nothing is
   */
  static List<String> ofAddress(JsonObject settings) {
    List<String> broken = new ArrayList<>();
    // What a receiver had prefetched when it died counts as delivered.
    Object attempts = settings.get("maxDeliveryAttempts");
    require("max-delivery-attempts", attempts == null ? "10, the default" : attempts, -1, broken);
    if (settings.getString("addressFullMessagePolicy", "").equals("DROP")) {
      broken.add("address-full-policy is DROP, must be PAGE, FAIL or BLOCK");
    }
    if (!settings.getBoolean("noExpiry", false)) {
      require("expiry-delay", settings.get("expiryDelay"), -1, broken);
      require("max-expiry-delay", settings.get("maxExpiryDelay"), -1, broken);
    }
    require("auto-delete-created-queues", settings.get("autoDeleteCreatedQueues"), false, broken);
    return broken;
  }

  /** A value that the broker does not tell is its default, which is harmless but where said. */
  private static void require(
      String setting, @Nullable Object value, @Nullable Object wanted, List<String> broken) {
    if (value != null && !value.toString().equals(String.valueOf(wanted))) {
      broken.add(
          "%s is %s, must be %s".formatted(setting, value, wanted == null ? "none" : wanted));
    }
  }
}
