package org.mqproof.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.TopicConfig;

/** What a topic's own configuration would do against the promise. Thread-safe: no state. */
final class TopicPromise {

  private TopicPromise() {}

  /**
   * What is wrong with a topic.
   *
   * @return each as "setting is value, must be ..."; empty if the promise can be kept
   */
  static List<String> broken(KafkaSettings settings, TopicDescription topic, Config config) {
    List<String> broken = new ArrayList<>();
    int copies = settings.get(KafkaSettings.REPLICATION_FACTOR);
    for (TopicPartitionInfo partition : topic.partitions()) {
      if (partition.replicas().size() < copies) {
        broken.add(
            "replication factor of partition %d is %d, must be at least %d"
                .formatted(partition.partition(), partition.replicas().size(), copies));
        break;
      }
    }
    // Messages that nobody received yet would go by their age, by the size of the log, or by key.
    require(config, TopicConfig.RETENTION_MS_CONFIG, "-1"::equals, "-1", broken);
    require(config, TopicConfig.RETENTION_BYTES_CONFIG, "-1"::equals, "-1", broken);
    require(
        config,
        TopicConfig.CLEANUP_POLICY_CONFIG,
        policy -> !policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT),
        TopicConfig.CLEANUP_POLICY_DELETE,
        broken);
    int flush = settings.get(KafkaSettings.FLUSH_MESSAGES);
    if (flush > 0) {
      require(
          config,
          TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG,
          value -> Long.parseLong(value) <= flush,
          "at most " + flush,
          broken);
    }
    if (settings.get(KafkaSettings.ACKS).equals("all")) {
      int inSync = settings.get(KafkaSettings.MIN_INSYNC_REPLICAS);
      require(
          config,
          TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
          value -> Integer.parseInt(value) >= inSync,
          "at least " + inSync,
          broken);
      require(
          config,
          TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
          "false"::equals,
          "false",
          broken);
    }
    return broken;
  }

  private static void require(
      Config config, String key, Predicate<String> holds, String wanted, List<String> broken) {
    ConfigEntry entry = config.get(key);
    String value = entry == null ? null : entry.value();
    if (value != null && !holds.test(value)) {
      broken.add("%s is %s, must be %s".formatted(key, value, wanted));
    }
  }
}
