package org.mqproof.rocketmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import org.apache.rocketmq.client.impl.mqclient.MQClientAPIExt;
import org.apache.rocketmq.common.KeyBuilder;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.constant.PermName;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;
import org.mqproof.MqException;
import org.mqproof.support.Arguments;

/**
 * The topic of each queue. A broker that recovers takes messages of a topic that was deleted for
 * those of a later one of the same name, and drops the later ones: so no name is used twice. Behind
 * a queue's name stands a number, which is one more each time that the queue is made; what remains
 * of a deleted queue is a topic without messages whose name says the number.
 *
 * <p>A topic is made on every replica that runs: replicas would hear of it some seconds later, and
 * one that becomes the leader before would not know it.
 *
 * <p>Thread-safe: no state of its own. Its methods block.
 */
final class Topics {

  /** The group of all receivers. */
  static final String GROUP = "mqproof";

  /** Topics of a queue; each is popped by one request at a time. */
  static final int QUEUES = 4;

  private static final String NUMBER = "|";
  private static final int LONGEST_BASE = 80;

  private final Brokers brokers;

  Topics(Brokers brokers) {
    this.brokers = brokers;
  }

  /** What is known of a queue: its topic's last number, 0 if it never had one. */
  record Latest(String base, long number, boolean isThere) {

    String topic() {
      return base + NUMBER + number;
    }

    String marker() {
      return topic() + NUMBER;
    }

    Latest next() {
      return new Latest(base, number + 1, true);
    }
  }

  /** The name of a queue in the brokers' alphabet, 81 characters at most. */
  static String base(String queue) {
    String base = queue.replace('.', '%');
    if (base.length() <= LONGEST_BASE) {
      return base;
    }
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(queue.getBytes(UTF_8));
      return base.substring(0, LONGEST_BASE - 33)
          + "%%"
          + HexFormat.of().formatHex(hash).substring(0, 32);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static Latest latest(Set<String> topics, String queue) {
    String base = base(queue);
    long number =
        topics.stream()
            .filter(topic -> topic.startsWith(base + NUMBER))
            .map(topic -> topic.substring(base.length() + 1).replace(NUMBER, ""))
            .mapToLong(Long::parseLong)
            .max()
            .orElse(0);
    Latest latest = new Latest(base, number, true);
    boolean isThere = topics.contains(latest.topic()) && !topics.contains(latest.marker());
    return new Latest(base, number, isThere);
  }

  private static Latest latest(MQClientAPIExt client, String leader, long millis, String queue)
      throws Exception {
    return latest(client.getAllTopicConfig(leader, millis).getTopicConfigTable().keySet(), queue);
  }

  /**
   * The topic of a queue.
   *
   * @throws MqException if there is none
   */
  String get(String queue) throws Exception {
    Arguments.requireQueueName(queue);
    Latest found = brokers.ask((client, leader, millis) -> latest(client, leader, millis, queue));
    if (!found.isThere()) {
      throw new MqException(
          "%s: there is no queue %s".formatted(brokers.settings().endpoint(), queue));
    }
    return found.topic();
  }

  void create(String queue) throws Exception {
    boolean unused =
        brokers.ask(
            (client, leader, millis) -> {
              Latest found = latest(client, leader, millis, queue);
              Latest wanted = found.isThere() ? found : found.next();
              SubscriptionGroupConfig group = new SubscriptionGroupConfig();
              group.setGroupName(GROUP);
              for (String broker : brokers.group().all()) { // the leader first: others copy it
                client.createSubscriptionGroup(broker, group, millis);
                make(client, broker, retryTopic(wanted.topic()), 1, millis);
                make(client, broker, wanted.topic(), QUEUES, millis);
              }
              return true;
            });
  }

  void delete(String queue) throws Exception {
    boolean unused =
        brokers.ask(
            (client, leader, millis) -> {
              Latest found = latest(client, leader, millis, queue);
              if (!found.isThere()) {
                return false;
              }
              for (String broker : brokers.group().all()) {
                make(client, broker, found.marker(), 1, millis);
                client.deleteTopicInBroker(broker, found.topic(), millis);
                client.deleteTopicInBroker(broker, retryTopic(found.topic()), millis);
                client.deleteTopicInBroker(
                    broker, new Latest(found.base(), found.number() - 1, false).marker(), millis);
              }
              return true;
            });
  }

  private static String retryTopic(String topic) {
    return KeyBuilder.buildPopRetryTopicV1(topic, GROUP);
  }

  private static void make(
      MQClientAPIExt client, String broker, String topic, int queues, long millis)
      throws Exception {
    TopicConfig config =
        new TopicConfig(topic, queues, queues, PermName.PERM_READ | PermName.PERM_WRITE);
    client.createTopic(broker, topic, config, millis);
  }
}
