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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeletedRecords;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.mqproof.MqException;

/**
 * Deletes what was acked. A group without members is forgotten after {@code
 * offsets.retention.minutes}, 7 days by default, and its next member starts at the first record
 * that is left: without this class all that was ever acked would come back, and no disk would ever
 * shrink.
 *
 * <p>A share group is not forgotten, but disks would fill with its records as well. Kafka stores
 * where such a group is with the ack after it: the records of the last ack stay.
 *
 * <p>What the group has acked is asked of the brokers, so that it does not matter which receiver
 * acked it. Thread-safe; one thread of its own from the first receiver on.
 */
final class AckedRecords implements AutoCloseable {

  private static final Logger LOG = System.getLogger(AckedRecords.class.getName());

  /** The protocol of groups whose members read topics. */
  private static final String CONSUMER_PROTOCOL = "consumer";

  /** A closing receiver waits no longer: the next one can do the same. */
  private static final Duration CLOSE_BOUND = Duration.ofSeconds(5);

  private final KafkaSettings settings;
  private final KafkaQueues queues;
  private final Admin admin;
  private final AdminCalls calls;
  private final ScheduledThreadPoolExecutor timer;
  private final Map<KafkaQueues.Found, Integer> receivers = new HashMap<>();
  private final Map<KafkaQueues.Found, Map<TopicPartition, Long>> deleted =
      new ConcurrentHashMap<>();
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private boolean started;
  private volatile boolean closing;

  AckedRecords(KafkaSettings settings, KafkaQueues queues, Admin admin) {
    this.settings = settings;
    this.queues = queues;
    this.admin = admin;
    calls = new AdminCalls(settings.endpoint());
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mqproof-kafka-acked-records");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** From now on what is acked of this queue is deleted now and then. */
  synchronized void opened(KafkaQueues.Found queue) {
    if (closing || settings.get(KafkaSettings.DELETE_ACKED) == KafkaSettings.DeleteAcked.NEVER) {
      return;
    }
    receivers.merge(queue, 1, Integer::sum);
    if (!started) {
      started = true;
      long interval = settings.get(KafkaSettings.DELETE_INTERVAL).toNanos();
      var unused =
          timer.scheduleWithFixedDelay(
              () -> delete(queues(), System.nanoTime() + settings.callBound().toNanos()),
              interval,
              interval,
              TimeUnit.NANOSECONDS);
    }
  }

  private synchronized List<KafkaQueues.Found> queues() {
    return List.copyOf(receivers.keySet());
  }

  /**
   * A receiver of this queue has committed its last acks. After the last one deletes; but not in a
   * share group, which is asked slowly, and stays.
   */
  void closed(KafkaQueues.Found queue, long deadlineNanos) {
    synchronized (this) {
      Integer open = receivers.remove(queue);
      if (open == null) {
        return;
      }
      if (open > 1) {
        receivers.put(queue, open - 1);
        return;
      }
    }
    if (!settings.share()) {
      delete(List.of(queue), Math.min(deadlineNanos, System.nanoTime() + CLOSE_BOUND.toNanos()));
    }
    deleted.remove(queue);
  }

  /**
   * What cannot be deleted now is tried again in the next round, or by the next receiver. That it
   * cannot is told once of each queue.
   */
  private void delete(Collection<KafkaQueues.Found> acked, long deadline) {
    for (KafkaQueues.Found queue : acked) {
      try {
        delete(queue, deadline);
      } catch (MqException | KafkaException e) {
        if (!closing && told.add(queue.queue())) {
          LOG.log(
              Level.WARNING,
              "{0}; acked messages stay on disk, and come back should the brokers forget the group",
              e.getMessage());
        }
      }
    }
  }

  private void delete(KafkaQueues.Found queue, long deadline) {
    Map<TopicPartition, Long> before = acked(queue, deadline);
    Map<TopicPartition, Long> done =
        deleted.computeIfAbsent(queue, key -> new ConcurrentHashMap<>());
    before.entrySet().removeIf(e -> e.getValue() <= done.getOrDefault(e.getKey(), 0L));
    // By name, as there is no other way: a new topic of that name would lose what nobody acked.
    if (before.isEmpty() || !mayDelete(queue, before.keySet(), deadline)) {
      return;
    }
    Map<TopicPartition, RecordsToDelete> records = new HashMap<>();
    before.forEach((partition, end) -> records.put(partition, RecordsToDelete.beforeOffset(end)));
    for (Map.Entry<TopicPartition, KafkaFuture<DeletedRecords>> answer :
        admin.deleteRecords(records).lowWatermarks().entrySet()) {
      long first =
          calls.await(answer.getValue(), remaining(deadline), cannot(queue)).lowWatermark();
      done.put(answer.getKey(), first);
    }
  }

  private static String cannot(KafkaQueues.Found queue) {
    return "could not delete acked messages of queue " + queue.queue();
  }

  /** Up to where the group has acked all of each partition. */
  private Map<TopicPartition, Long> acked(KafkaQueues.Found queue, long deadline) {
    String group = queues.group(queue);
    Map<TopicPartition, Long> acked = new HashMap<>();
    if (settings.share()) {
      calls
          .await(
              admin
                  .listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                  .partitionsToOffsetInfo(group),
              remaining(deadline),
              cannot(queue))
          .forEach(
              (partition, offset) -> {
                if (offset != null) {
                  acked.put(partition, offset.startOffset());
                }
              });
    } else {
      calls
          .await(
              admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(),
              remaining(deadline),
              cannot(queue))
          .forEach(
              (partition, offset) -> {
                if (offset != null) {
                  acked.put(partition, offset.offset());
                }
              });
    }
    acked.keySet().removeIf(partition -> !partition.topic().equals(queue.queue()));
    return acked;
  }

  private boolean mayDelete(
      KafkaQueues.Found queue, Collection<TopicPartition> partitions, long deadline) {
    return (settings.get(KafkaSettings.DELETE_ACKED) == KafkaSettings.DeleteAcked.ALWAYS
            || isAlone(queue, partitions, deadline))
        && queues.isThere(queue, remaining(deadline));
  }

  /** Whether no group but the queue's own has read these partitions, or has a member that does. */
  private boolean isAlone(
      KafkaQueues.Found queue, Collection<TopicPartition> partitions, long deadline) {
    requireAllGroupsAreListed(queue, deadline);
    List<String> active = new ArrayList<>();
    Map<String, ListConsumerGroupOffsetsSpec> consumers = new HashMap<>();
    Map<String, ListShareGroupOffsetsSpec> shares = new HashMap<>();
    Map<String, ListStreamsGroupOffsetsSpec> streams = new HashMap<>();
    for (GroupListing group : others(queue, deadline)) {
      GroupType type = group.type().orElse(GroupType.CLASSIC);
      if (type == GroupType.SHARE) {
        shares.put(group.groupId(), new ListShareGroupOffsetsSpec().topicPartitions(partitions));
      } else if (type == GroupType.STREAMS) {
        streams.put(group.groupId(), new ListStreamsGroupOffsetsSpec().topicPartitions(partitions));
      } else {
        consumers.put(
            group.groupId(), new ListConsumerGroupOffsetsSpec().topicPartitions(partitions));
        // A member may read and never commit. Of other protocols, such as Connect's, nobody reads.
        if (group.groupState().orElse(GroupState.UNKNOWN) != GroupState.EMPTY
            && (type == GroupType.CONSUMER || group.protocol().equals(CONSUMER_PROTOCOL))) {
          active.add(group.groupId());
        }
      }
    }
    return !hasOffset(
            consumers.isEmpty()
                ? Map.of()
                : calls.await(
                    admin.listConsumerGroupOffsets(consumers).all(),
                    remaining(deadline),
                    cannot(queue)))
        && !hasOffset(
            shares.isEmpty()
                ? Map.of()
                : calls.await(
                    admin.listShareGroupOffsets(shares).all(), remaining(deadline), cannot(queue)))
        && !hasOffset(
            streams.isEmpty()
                ? Map.of()
                : calls.await(
                    admin.listStreamsGroupOffsets(streams).all(),
                    remaining(deadline),
                    cannot(queue)))
        && (active.isEmpty() || !isAssigned(active, queue, deadline));
  }

  private static boolean hasOffset(Map<String, ? extends Map<TopicPartition, ?>> groups) {
    return groups.values().stream()
        .anyMatch(offsets -> offsets.values().stream().anyMatch(offset -> offset != null));
  }

  private boolean isAssigned(List<String> groups, KafkaQueues.Found queue, long deadline) {
    return calls
        .await(admin.describeConsumerGroups(groups).all(), remaining(deadline), cannot(queue))
        .values()
        .stream()
        .flatMap(group -> group.members().stream())
        .flatMap(member -> member.assignment().topicPartitions().stream())
        .anyMatch(partition -> partition.topic().equals(queue.queue()));
  }

  /** Brokers leave out, without a word, the groups that one has no right to see. */
  private void requireAllGroupsAreListed(KafkaQueues.Found queue, long deadline) {
    Set<AclOperation> rights =
        calls.await(
            admin
                .describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true))
                .authorizedOperations(),
            remaining(deadline),
            cannot(queue));
    if (rights == null || !rights.contains(AclOperation.DESCRIBE)) {
      throw new MqException(
          settings.endpoint()
              + ": "
              + cannot(queue)
              + ": without the right DESCRIBE on the cluster nobody can see whether other groups"
              + " read the topic; give that right, or set delete.acked to always or never");
    }
  }

  private List<GroupListing> others(KafkaQueues.Found queue, long deadline) {
    return calls.await(admin.listGroups().all(), remaining(deadline), cannot(queue)).stream()
        .filter(group -> !isOwn(group.groupId(), queue))
        .toList();
  }

  /** Also the group of a deleted queue of the same name, which differs by the topic's id alone. */
  private boolean isOwn(String group, KafkaQueues.Found queue) {
    String own = queues.group(queue);
    if (settings.share()) {
      return group.equals(own);
    }
    int idAt = own.length() - queue.topicId().length();
    return group.length() == own.length()
        && group.startsWith(own.substring(0, idAt))
        && group.indexOf('.', idAt) < 0;
  }

  @Override
  public void close() {
    synchronized (this) { // whoever opens a receiver now comes too late for the timer
      closing = true;
    }
    List<Runnable> unused = timer.shutdownNow();
  }
}
