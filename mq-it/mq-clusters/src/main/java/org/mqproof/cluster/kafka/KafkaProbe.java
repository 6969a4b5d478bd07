package org.mqproof.cluster.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.mqproof.cluster.Cluster;

/**
 * Asks a Kafka cluster how it is, with new connections each time so that no answer is an old one.
 * Thread-safe: no state but the addresses. Every call ends within 80 s.
 */
final class KafkaProbe {

  private static final String TOPIC = "mqproof-ready";
  private static final int REQUEST_MILLIS = 3_000;

  /** Kafka's least, for a user who lives for minutes. */
  private static final int SCRAM_ITERATIONS = 4_096;

  private static final List<ScramMechanism> SCRAM =
      List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512);

  private static final String CLUSTER_RESOURCE = "kafka-cluster";
  private static final int CALL_MILLIS = 10_000;

  /** As {@link Cluster#leader} says: several requests, some to nodes that do not answer. */
  private static final int LEADER_MILLIS = 20_000;

  private static final int ELECTION_MILLIS = 100;

  private final String bootstrapServers;
  private final int nodes;

  KafkaProbe(String bootstrapServers, int nodes) {
    this.bootstrapServers = bootstrapServers;
    this.nodes = nodes;
  }

  /**
   * The node that leads most partitions of a topic, the lowest id if several do. While a leader is
   * being elected there is none: it is asked for again.
   *
   * @throws ExecutionException what Kafka said
   * @throws TimeoutException if it said nothing
   */
  int leader(String topic) throws ExecutionException, InterruptedException, TimeoutException {
    return ask(LEADER_MILLIS, admin -> leader(admin, topic));
  }

  private static int leader(Admin admin, String topic)
      throws ExecutionException, InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEADER_MILLIS);
    while (true) {
      Optional<Integer> leader = leaderNow(admin, topic, deadline);
      if (leader.isPresent()) {
        return leader.orElseThrow();
      }
      if (System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ELECTION_MILLIS) - deadline > 0) {
        throw new TimeoutException("no partition of " + topic + " has a leader");
      }
      Thread.sleep(ELECTION_MILLIS);
    }
  }

  private static Optional<Integer> leaderNow(Admin admin, String topic, long deadline)
      throws ExecutionException, InterruptedException, TimeoutException {
    long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    TopicDescription description =
        Objects.requireNonNull(
            await(admin.describeTopics(List.of(topic)).allTopicNames(), left).get(topic), topic);
    Map<Integer, Long> partitionsByLeader =
        description.partitions().stream()
            .filter(partition -> partition.leader() != null)
            .collect(
                Collectors.groupingBy(partition -> partition.leader().id(), Collectors.counting()));
    return partitionsByLeader.entrySet().stream()
        .max(
            Map.Entry.<Integer, Long>comparingByValue()
                .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
        .map(Map.Entry::getKey);
  }

  /**
   * Produces a record to a partition led by each node and awaits every replica, then asks each node
   * whether every replica of every partition is in sync. The order matters: a node that died a
   * moment ago still counts as in sync, but then the records are not confirmed before it is back or
   * struck off. And each is asked because one that was isolated goes on saying, until it has caught
   * up, what was so before: that all were in sync.
   *
   * @return what is not as it should be; empty if the cluster is ready
   */
  List<String> notReady() throws InterruptedException {
    try {
      return ask(CALL_MILLIS, this::notReady);
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      return List.of(e.toString());
    }
  }

  private List<String> notReady(Admin admin)
      throws ExecutionException, InterruptedException, TimeoutException {
    int registered = await(admin.describeCluster().nodes()).size();
    if (registered < nodes) {
      return List.of("%d of %d nodes have registered".formatted(registered, nodes));
    }
    createTopic(admin);
    produce();
    findCoordinator(admin);
    List<String> notInSync = new ArrayList<>();
    for (String server : bootstrapServers.split(",", -1)) {
      notInSync.addAll(notInSync(server));
    }
    return notInSync;
  }

  private void createTopic(Admin admin)
      throws ExecutionException, InterruptedException, TimeoutException {
    Map<Integer, List<Integer>> replicas = new HashMap<>();
    for (int partition = 0; partition < nodes; partition++) {
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        order.add((partition + i) % nodes + 1); // the first one leads
      }
      replicas.put(partition, order);
    }
    try {
      await(admin.createTopics(List.of(new NewTopic(TOPIC, replicas))).all());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  private void produce() throws ExecutionException, InterruptedException, TimeoutException {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, REQUEST_MILLIS);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, CALL_MILLIS);
    ByteArraySerializer bytes = new ByteArraySerializer();
    KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes);
    try {
      List<Future<RecordMetadata>> confirmed = new ArrayList<>();
      for (int partition = 0; partition < nodes; partition++) {
        confirmed.add(producer.send(new ProducerRecord<>(TOPIC, partition, null, new byte[0])));
      }
      for (Future<RecordMetadata> record : confirmed) {
        record.get(CALL_MILLIS, TimeUnit.MILLISECONDS);
      }
    } finally {
      producer.close(Duration.ZERO);
    }
  }

  /** At the first time this makes Kafka create the topic in which receivers commit. */
  private static void findCoordinator(Admin admin)
      throws ExecutionException, InterruptedException, TimeoutException {
    try {
      await(admin.describeConsumerGroups(List.of(TOPIC)).all());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof GroupIdNotFoundException)) {
        throw e;
      } // else the coordinator has answered, and that is all
    }
  }

  /** As one node knows it: a consumer's first request goes to the only node it has heard of. */
  private static List<String> notInSync(String server) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, server);
    settings.put(ConsumerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, bytes, bytes);
    try {
      return consumer.listTopics(Duration.ofMillis(CALL_MILLIS)).values().stream()
          .flatMap(List::stream)
          .filter(KafkaProbe::isNotInSync)
          .map(
              partition ->
                  "%s says of %s-%d: %d of %d replicas in sync"
                      .formatted(
                          server,
                          partition.topic(),
                          partition.partition(),
                          partition.inSyncReplicas().length,
                          partition.replicas().length))
          .toList();
    } finally {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }

  /**
   * Gives a user a password and the rights of who sends, receives, and makes and deletes queues.
   */
  void admit(String user, String password)
      throws ExecutionException, InterruptedException, TimeoutException {
    admit(
        user,
        password,
        List.of(
            right(user, ResourceType.TOPIC, "*", AclOperation.ALL),
            right(user, ResourceType.GROUP, "*", AclOperation.ALL),
            right(user, ResourceType.CLUSTER, CLUSTER_RESOURCE, AclOperation.CREATE),
            right(user, ResourceType.CLUSTER, CLUSTER_RESOURCE, AclOperation.DESCRIBE)));
  }

  /**
   * Gives a user a password and the rights of who sends to one queue and receives from it. Each
   * implies the right to describe the same topic or group.
   */
  void admitTo(String queue, String user, String password)
      throws ExecutionException, InterruptedException, TimeoutException {
    admit(
        user,
        password,
        List.of(
            right(user, ResourceType.TOPIC, queue, AclOperation.WRITE),
            right(user, ResourceType.TOPIC, queue, AclOperation.READ),
            right(user, ResourceType.GROUP, "mqproof.share." + queue, AclOperation.READ),
            // The topic's id, which nobody knows before it is made, ends the group's name.
            right(
                user,
                new ResourcePattern(
                    ResourceType.GROUP, "mqproof." + queue + ".", PatternType.PREFIXED),
                AclOperation.READ)));
  }

  private void admit(String user, String password, List<AclBinding> rights)
      throws ExecutionException, InterruptedException, TimeoutException {
    Void unused =
        ask(
            CALL_MILLIS,
            admin -> {
              // Both in one request Kafka refuses.
              for (ScramMechanism mechanism : SCRAM) {
                Void unusedToo =
                    await(
                        admin
                            .alterUserScramCredentials(
                                List.of(
                                    new UserScramCredentialUpsertion(
                                        user,
                                        new ScramCredentialInfo(mechanism, SCRAM_ITERATIONS),
                                        password)))
                            .all());
              }
              return await(admin.createAcls(rights).all());
            });
  }

  private static AclBinding right(
      String user, ResourceType type, String name, AclOperation operation) {
    return right(user, new ResourcePattern(type, name, PatternType.LITERAL), operation);
  }

  private static AclBinding right(String user, ResourcePattern pattern, AclOperation operation) {
    return new AclBinding(
        pattern, new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
  }

  private static boolean isNotInSync(PartitionInfo partition) {
    return partition.leader() == null
        || partition.inSyncReplicas().length < partition.replicas().length;
  }

  /** What is asked of a cluster. */
  private interface Question<T> {
    T of(Admin admin) throws ExecutionException, InterruptedException, TimeoutException;
  }

  private <T> T ask(int callMillis, Question<T> question)
      throws ExecutionException, InterruptedException, TimeoutException {
    Admin admin =
        Admin.create(
            Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, REQUEST_MILLIS,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, callMillis));
    try {
      return question.of(admin);
    } finally {
      // Without a bound this was seen to wait for minutes while a node could not be reached.
      admin.close(Duration.ofSeconds(1));
    }
  }

  private static <T> T await(Future<T> answer)
      throws ExecutionException, InterruptedException, TimeoutException {
    return await(answer, CALL_MILLIS);
  }

  private static <T> T await(Future<T> answer, long millis)
      throws ExecutionException, InterruptedException, TimeoutException {
    return answer.get(millis, TimeUnit.MILLISECONDS);
  }
}
