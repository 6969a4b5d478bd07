package org.mqproof.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.rocketmq.client.impl.mqclient.MQClientAPIExt;
import org.mqproof.support.Promise;

/**
 * What a broker is configured to keep, as it says itself. Its replicas are taken to have the same
 * configuration. Immutable.
 */
final class BrokerPromise {

  private static final Map<String, String> ALWAYS =
      Map.of(
          "timerWheelEnable", "true", // without it nothing can be popped
          "popConsumerKVServiceEnable", "false", // its claims are on one broker only
          "enablePopBufferMerge", "false", // claims in memory
          "skipWhenCKRePutReachMaxTimes", "false", // drops messages
          "timerSkipUnknownError", "false", // drops claims
          "cleanFileForciblyEnable", "false"); // drops messages when the disk is rather full

  private static final Map<String, String> REPLICATED =
      Map.of("enableControllerMode", "true", "allAckInSyncStateSet", "true");

  private final Properties configuration;

  BrokerPromise(Properties configuration) {
    this.configuration = configuration;
  }

  static BrokerPromise of(MQClientAPIExt client, String leader, long millis) throws Exception {
    return new BrokerPromise(client.getBrokerConfig(leader, millis));
  }

  int largestMessageBytes() {
    return Integer.parseInt(configuration.getProperty("maxMessageSize", "4194304"));
  }

  /** Time after which messages are deleted, whether they were read or not. */
  Duration retention() {
    return Duration.ofHours(Long.parseLong(configuration.getProperty("fileReservedTime", "72")));
  }

  void require(RocketMqSettings settings) {
    if (settings.get(RocketMqSettings.CHECK_BROKER)) {
      Promise.require(
          settings.endpoint(), "the broker", broken(settings), RocketMqSettings.CHECK_BROKER.key());
    }
  }

  List<String> broken(RocketMqSettings settings) {
    List<String> broken = new ArrayList<>();
    ALWAYS.forEach((key, value) -> compare(key, value, broken));
    int copies = settings.get(RocketMqSettings.COPIES);
    if (copies >= 2) {
      REPLICATED.forEach((key, value) -> compare(key, value, broken));
      String least = configuration.getProperty("minInSyncReplicas", "1");
      if (Integer.parseInt(least) < copies) {
        broken.add("minInSyncReplicas is %s, must be at least %d".formatted(least, copies));
      }
    }
    if (settings.get(RocketMqSettings.FLUSH) == RocketMqSettings.Flush.SYNC) {
      compare("flushDiskType", "SYNC_FLUSH", broken);
    }
    return broken.stream().sorted().toList();
  }

  private void compare(String key, String wanted, List<String> broken) {
    String found = configuration.getProperty(key, "not there");
    if (!found.equals(wanted)) {
      broken.add("%s is %s, must be %s".formatted(key, found, wanted));
    }
  }
}
