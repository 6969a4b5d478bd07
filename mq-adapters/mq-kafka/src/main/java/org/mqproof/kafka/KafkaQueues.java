package org.mqproof.kafka;

import static org.mqproof.kafka.AdminCalls.remaining;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.mqproof.MqException;
import org.mqproof.support.Arguments;
import org.mqproof.support.Promise;

/**
 * Creates, finds and deletes topics and the groups that belong to them. Thread-safe.
 *
 * <p>A consumer group's name holds the topic's id and not only its name, so that a queue deleted
 * and created anew cannot meet offsets committed for its predecessor: Kafka removes those some time
 * after the topic, and a receiver that found one would skip messages. A share group's progress is
 * kept by topic id anyway.
 */
final class KafkaQueues implements AutoCloseable {

  /** A topic as it was found. */
  record Found(String queue, String topicId, int partitions) {}

  /**
   * Brokers hear of a new topic one after the other; this long a missing one is asked for again.
   */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final long RETRY_NANOS = Duration.ofMillis(20).toNanos();

  private static final Logger LOG = System.getLogger(KafkaQueues.class.getName());

  private final KafkaSettings settings;
  private final Admin admin;
  private final AdminCalls calls;

  KafkaQueues(KafkaSettings settings, Admin admin) {
    this.settings = settings;
    this.admin = admin;
    calls = new AdminCalls(settings.endpoint());
  }

  AckedRecords ackedRecords() {
    return new AckedRecords(settings, this, admin);
  }

  /** Asks any broker for a sign of life. */
  void requireAnswer(Duration bound) {
    int millis = Math.toIntExact(bound.toMillis());
    calls.await(
        admin.describeCluster(new DescribeClusterOptions().timeoutMs(millis)).clusterId(),
        bound,
        "no broker answered");
  }

  /** Whether a queue is the one that was found; true if nobody says. Does not wait. */
  CompletableFuture<Boolean> isThere(Found found) {
    int millis = Math.toIntExact(settings.callBound().toMillis());
    return admin
        .describeTopics(List.of(found.queue()), new DescribeTopicsOptions().timeoutMs(millis))
        .allTopicNames()
        .toCompletionStage()
        .handle(
            (topics, failure) ->
                failure == null ? isTheOne(topics.get(found.queue()), found) : !isMissing(failure))
        .toCompletableFuture();
  }

  private static boolean isMissing(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof UnknownTopicOrPartitionException;
  }

  private static boolean isTheOne(@Nullable TopicDescription topic, Found found) {
    return topic != null && topic.topicId().toString().equals(found.topicId());
  }

  void create(String queue) {
    Arguments.requireQueueName(queue);
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    String what = "could not create queue " + queue;
    if (settings.share()) {
      // First of all: the metadata log then shows every broker the group's configuration before the
      // topic, and none can start the group at the topic's end, where older messages are lost.
      setShareConfig(queue, shareConfig(), deadline);
    }
    NewTopic topic =
        new NewTopic(
                queue,
                Optional.of(settings.get(KafkaSettings.PARTITIONS)),
                Optional.of(settings.get(KafkaSettings.REPLICATION_FACTOR).shortValue()))
            .configs(settings.topicConfig());
    boolean existed = false;
    try {
      calls.get(admin.createTopics(List.of(topic)).all(), remaining(deadline), what);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw calls.failure(what, "Create on the topic or on the cluster", e.getCause());
      }
      existed = true;
    }
    until(
        () -> hasLeaders(queue, deadline),
        deadline,
        "created queue " + queue + ", but not every partition has a leader");
    if (existed) {
      requirePromise(describe(queue, remaining(deadline)).orElse(null), deadline);
    }
  }

  /**
   * Refuses a topic whose own configuration would lose what was confirmed. Where the right to see
   * it is missing, nothing is checked.
   */
  private void requirePromise(@Nullable TopicDescription topic, long deadline) {
    if (topic == null || !settings.get(KafkaSettings.CHECK_TOPIC)) {
      return;
    }
    String what = "could not see the configuration of queue " + topic.name();
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
    Config config;
    try {
      config = config(resource, what, deadline);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException
          || e.getCause() instanceof UnknownTopicOrPartitionException) {
        return;
      }
      throw calls.failure(what, e.getCause());
    }
    Promise.require(
        settings.endpoint(),
        "topic " + topic.name(),
        config == null ? List.of() : TopicPromise.broken(settings, topic, config),
        KafkaSettings.CHECK_TOPIC.key());
  }

  void delete(String queue) {
    Arguments.requireQueueName(queue);
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    String what = "could not delete queue " + queue;
    Optional<TopicDescription> existing = describe(queue, remaining(deadline));
    try {
      calls.get(admin.deleteTopics(List.of(queue)).all(), remaining(deadline), what);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw calls.failure(what, "Delete on the topic", e.getCause());
      }
    }
    // A broker that still had the old topic could give its id to the next receivers.
    until(
        () -> isGoneEverywhere(queue, deadline),
        deadline,
        "deleted queue " + queue + ", but a broker still has it");
    if (existing.isPresent()) {
      String group = consumerGroup(queue, existing.get().topicId().toString());
      deleteGroup(admin.deleteConsumerGroups(List.of(group)).all(), remaining(deadline), group);
    }
    if (settings.share()) {
      // The group itself may stay: what it knows of the topic goes with the topic.
      Map<String, @Nullable String> none = new HashMap<>();
      shareConfig().keySet().forEach(key -> none.put(key, null));
      setShareConfig(queue, none, deadline);
    }
  }

  /** Whether the topic of that name is still the one that was found. */
  boolean isThere(Found found, Duration bound) {
    return describe(found.queue(), bound)
        .map(topic -> topic.topicId().toString().equals(found.topicId()))
        .orElse(false);
  }

  /** Finds a queue, or says that there is none. */
  Found find(String queue) {
    Arguments.requireQueueName(queue);
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    long graceEnds = System.nanoTime() + GRACE.toNanos();
    while (true) {
      Optional<TopicDescription> topic = describe(queue, remaining(deadline));
      if (topic.isPresent()) {
        requirePromise(topic.get(), deadline);
        return new Found(queue, topic.get().topicId().toString(), topic.get().partitions().size());
      }
      if (System.nanoTime() - graceEnds >= 0) {
        throw new MqException(settings.endpoint() + ": queue " + queue + " does not exist");
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  /** The group in which a queue's receivers compete. */
  String group(Found found) {
    return settings.share()
        ? shareGroup(found.queue())
        : consumerGroup(found.queue(), found.topicId());
  }

  /** The consumer group in which a queue's receivers compete. */
  String consumerGroup(String queue, String topicId) {
    return settings.get(KafkaSettings.GROUP_ID) + "." + queue + "." + topicId;
  }

  /** The share group in which a queue's receivers compete. */
  String shareGroup(String queue) {
    return settings.get(KafkaSettings.GROUP_ID) + ".share." + queue;
  }

  /**
   * Gives a share group the configuration that at least once needs, if it has none yet. Where the
   * right to see it is missing, nothing is checked.
   */
  void configureShareGroup(String queue) {
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    if (!hasShareConfig(queue, deadline)) {
      setShareConfig(queue, shareConfig(), deadline);
      until(
          () -> hasShareConfig(queue, deadline),
          deadline,
          "could not configure the share group of queue " + queue);
    }
  }

  private Map<String, String> shareConfig() {
    return Map.of(
        "share.auto.offset.reset",
        "earliest",
        "share.record.lock.duration.ms",
        Long.toString(settings.lockDuration().toMillis()),
        "share.delivery.count.limit",
        Integer.toString(settings.get(KafkaSettings.DELIVERY_COUNT_LIMIT)));
  }

  /** Sets the values, and removes those that are null. */
  private void setShareConfig(
      String queue, Map<String, ? extends @Nullable String> values, long deadline) {
    ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, shareGroup(queue));
    List<AlterConfigOp> ops = new ArrayList<>();
    values.forEach(
        (key, value) ->
            ops.add(
                new AlterConfigOp(
                    new ConfigEntry(key, value),
                    value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET)));
    String what = "could not configure the share group of queue " + queue;
    try {
      calls.get(admin.incrementalAlterConfigs(Map.of(group, ops)).all(), remaining(deadline), what);
    } catch (ExecutionException e) {
      throw calls.failure(what, "AlterConfigs on the group " + group.name(), e.getCause());
    }
  }

  private boolean hasShareConfig(String queue, long deadline) {
    ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, shareGroup(queue));
    String what = "could not see the configuration of queue " + queue;
    Config config;
    try {
      config = config(group, what, deadline);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        LOG.log(
            Level.WARNING,
            "{0}: without the right DescribeConfigs on the group {1} nobody can see whether it has"
                + " {2}; if not, messages can be lost",
            settings.endpoint(),
            group.name(),
            shareConfig());
        return true;
      }
      throw calls.failure(what, e.getCause());
    }
    return config != null
        && shareConfig().entrySet().stream()
            .allMatch(
                wanted -> {
                  ConfigEntry found = config.get(wanted.getKey());
                  return found != null && wanted.getValue().equals(found.value());
                });
  }

  private @Nullable Config config(ConfigResource resource, String what, long deadline)
      throws ExecutionException {
    return calls
        .get(admin.describeConfigs(List.of(resource)).all(), remaining(deadline), what)
        .get(resource);
  }

  private Optional<TopicDescription> describe(String queue, Duration bound) {
    String what = "could not look up queue " + queue;
    try {
      return Optional.ofNullable(
          calls.get(admin.describeTopics(List.of(queue)).allTopicNames(), bound, what).get(queue));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw calls.failure(what, e.getCause());
    }
  }

  /** Asks each leader for its first offset, which only one that knows of its part can answer. */
  private boolean hasLeaders(String queue, long deadline) {
    Optional<TopicDescription> topic = describe(queue, remaining(deadline));
    if (topic.isEmpty()) {
      return false;
    }
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (TopicPartitionInfo partition : topic.get().partitions()) {
      if (partition.leader() == null) {
        return false;
      }
      asked.put(new TopicPartition(queue, partition.partition()), OffsetSpec.earliest());
    }
    try {
      calls.get(
          admin.listOffsets(asked).all(), remaining(deadline), "no leaders for queue " + queue);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RetriableException) {
        return false;
      }
      throw calls.failure("could not find the leaders of queue " + queue, e.getCause());
    }
  }

  private boolean isGoneEverywhere(String queue, long deadline) {
    String what = "could not see whether queue " + queue + " is gone";
    Collection<Node> nodes =
        calls.await(admin.describeCluster().nodes(), remaining(deadline), what);
    Set<Integer> ids = nodes.stream().map(Node::id).collect(Collectors.toSet());
    for (KafkaFuture<Map<String, LogDirDescription>> dirs :
        admin.describeLogDirs(ids).descriptions().values()) {
      try {
        for (LogDirDescription dir : calls.get(dirs, remaining(deadline), what).values()) {
          if (dir.replicaInfos().keySet().stream().anyMatch(tp -> tp.topic().equals(queue))) {
            return false;
          }
        }
      } catch (ExecutionException e) {
        // A broker that died meanwhile serves nobody a stale topic; any other may yet answer.
        if (!(e.getCause() instanceof RetriableException)) {
          throw calls.failure(what, e.getCause());
        }
      }
    }
    return describe(queue, remaining(deadline)).isEmpty();
  }

  private void deleteGroup(KafkaFuture<Void> deletion, Duration bound, String group) {
    String what = "could not delete group " + group;
    try {
      calls.get(deletion, bound, what);
    } catch (ExecutionException e) {
      // A receiver is still open, or there never was one: nothing that a new queue could meet.
      if (!(e.getCause() instanceof GroupNotEmptyException)
          && !(e.getCause() instanceof GroupIdNotFoundException)) {
        throw calls.failure(what, e.getCause());
      }
    }
  }

  private void until(BooleanSupplier condition, long deadline, String what) {
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        throw new MqException(
            "%s: %s after %s".formatted(settings.endpoint(), what, settings.callBound()));
      }
      LockSupport.parkNanos(RETRY_NANOS);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(1));
  }
}
