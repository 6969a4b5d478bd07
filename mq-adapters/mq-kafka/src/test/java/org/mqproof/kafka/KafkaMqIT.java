package org.mqproof.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.PowerCut;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** What no rule asks for, and what one would look for in Kafka. */
class KafkaMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("kafka");

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int PARTITIONS = 2;
  private static final int MESSAGES = 1_000;

  private static Admin admin;

  private String queue;

  @BeforeAll
  static void connect() {
    admin = Admin.create(Map.of("bootstrap.servers", servers()));
  }

  @AfterAll
  static void disconnect() {
    admin.close();
  }

  @BeforeEach
  void nameTheQueue() {
    queue = Long.toHexString(System.nanoTime());
  }

  private static String servers() {
    return String.valueOf(CLUSTER.settings().get("bootstrap.servers"));
  }

  private static Mq mq(String... settings) {
    Map<String, String> all = new HashMap<>(CLUSTER.settings());
    all.put("partitions", Integer.toString(PARTITIONS));
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    return MqProvider.named("kafka").connect(all);
  }

  @Test
  void headersAreRecordHeadersToOtherPrograms() throws Exception {
    Map<String, String> headers = Map.of("traceparent", "00-ab-01", "greeting", "gr\u00fc\u00df");
    try (Mq mq = mq("partitions", "1")) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue);
          KafkaConsumer<byte[], byte[]> plain = plain("plain." + queue)) {
        sender.send(List.of(new Message(new byte[] {1}, headers), new Message(new byte[] {2})));
        plain.assign(List.of(new TopicPartition(queue, 0)));
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (records.size() < 2 && System.nanoTime() - deadline < 0) {
          plain.poll(Duration.ofMillis(100)).forEach(records::add);
        }
        assertThat(records).hasSize(2);
        assertThat(records.get(0).headers().lastHeader("traceparent").value())
            .isEqualTo("00-ab-01".getBytes(UTF_8));
        assertThat(records.get(1).headers().toArray()).as("as 0.1.0 wrote it").isEmpty();
      }
      try (Receiver receiver = mq.receiver(queue)) {
        List<Delivery> received = receive(receiver, 2);
        assertThat(received.get(0).message().headers()).isEqualTo(headers);
        assertThat(received.get(1).message().headers()).isEmpty();
        ack(receiver, received);
      }
    }
  }

  /** Each is handed out by the same receiver again, and after it by the next. */
  @Test
  void aGroupsReleasedMessagesComeAgainHereAndAfterItElsewhere() throws Exception {
    try (Mq mq = mq("partitions", "1")) {
      mq.createQueue(queue);
      send(mq, 4);
      try (Receiver receiver = mq.receiver(queue)) {
        List<Delivery> held = receive(receiver, 4);
        receiver.release(List.of(held.get(1), held.get(2))).get(30, TimeUnit.SECONDS);
        List<Delivery> again = receive(receiver, 2);
        assertThat(again).extracting(d -> ((KafkaDelivery) d).offset()).containsExactly(1L, 2L);
        ack(receiver, List.of(held.get(0), again.get(0)));
        receiver.release(List.of(again.get(1))).get(30, TimeUnit.SECONDS);
      }
      try (Receiver receiver = mq.receiver(queue)) {
        List<Delivery> rest = receive(receiver, 2);
        assertThat(rest).extracting(d -> ((KafkaDelivery) d).offset()).containsExactly(2L, 3L);
        ack(receiver, rest);
      }
    }
  }

  /** Unless Kafka's client of the holder takes it back, as {@link KafkaShareReceiver} says. */
  @Test
  void whatAShareGroupReleasesGoesToAnotherReceiverAtOnceAndNothingElseDoes() throws Exception {
    try (Mq mq = mq("receive", "share", "partitions", "1", "max.poll.records", "2")) {
      boolean went = false;
      for (int tries = 0; !went && tries < 3; tries++) {
        went = whatIsReleasedGoesToAnother(mq, queue + "." + tries);
      }
      assertThat(went).isTrue();
    }
  }

  private static boolean whatIsReleasedGoesToAnother(Mq mq, String queue) throws Exception {
    mq.createQueue(queue);
    try (Sender sender = mq.sender(queue);
        Receiver holder = mq.receiver(queue);
        Receiver other = mq.receiver(queue)) {
      sender.send(List.of(new Message(new byte[] {0}), new Message(new byte[] {1})));
      List<Delivery> held = receive(holder, 2);
      assertThat(held).hasSize(2).allSatisfy(d -> assertThat(d.attempt()).hasValue(1));
      holder.release(held.subList(0, 1)).get(30, TimeUnit.SECONDS);
      List<Delivery> again = other.receive(1, Duration.ofSeconds(15));
      if (again.isEmpty()) {
        return false;
      }
      assertThat(((ShareDelivery) again.get(0)).record().offset()).isZero();
      assertThat(again.get(0).attempt()).hasValue(2);
      assertThat(other.receive(1, Duration.ofSeconds(1))).as("the other is claimed").isEmpty();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> holder.ack(held).get(30, TimeUnit.SECONDS))
          .satisfies(
              e ->
                  assertThat(((AckFailedException) requireNonNull(e.getCause())).outcomes())
                      .containsExactly(Outcome.REJECTED, Outcome.CONFIRMED));
      ack(other, again);
      return true;
    }
  }

  @Test
  void aShareGroupCountsADeliveryThatEndsWithAClose() throws Exception {
    try (Mq mq = mq("receive", "share", "partitions", "1")) {
      mq.createQueue(queue);
      send(mq, 1);
      for (int attempt = 1; attempt <= 3; attempt++) {
        try (Receiver receiver = mq.receiver(queue)) {
          assertThat(receive(receiver, 1).get(0).attempt()).hasValue(attempt);
        }
      }
    }
  }

  @Test
  void flushMessagesIsOfQueuesMadeHereAndRequiredOfOthers() throws Exception {
    try (Mq plain = mq();
        Mq flushing = mq("flush.messages", "1")) {
      assertThat(plain.traits().powerCut()).isEqualTo(PowerCut.LOST);
      assertThat(flushing.traits().powerCut()).isEqualTo(PowerCut.SURVIVED);
      flushing.createQueue(queue);
      Sender unused = flushing.sender(queue);
      plain.createQueue(queue + ".2");
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> flushing.sender(queue + ".2"))
          .withMessageContaining("flush.messages is 9223372036854775807, must be at most 1");
    }
  }

  private static void ack(Receiver receiver, List<Delivery> deliveries) throws Exception {
    Void unused = receiver.ack(deliveries).get(30, TimeUnit.SECONDS);
  }

  private static KafkaConsumer<byte[], byte[]> plain(String group) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", servers(), "group.id", group, "auto.offset.reset", "earliest"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /**
   * After a week without receivers, by default, the brokers forget how far a group was. Deleting
   * the group leaves them the same.
   */
  @Test
  void ackedRecordsDoNotComeBackWhenTheGroupIsForgotten() throws Exception {
    try (Mq mq = mq()) {
      mq.createQueue(queue);
      send(mq, MESSAGES);
      try (Receiver receiver = mq.receiver(queue)) {
        ackAll(receiver, MESSAGES);
      }
    }
    assertThat(firstOffsets()).isEqualTo(MESSAGES);
    forgetGroups();

    try (Mq mq = mq()) {
      send(mq, 1);
      try (Receiver receiver = mq.receiver(queue)) {
        assertThat(receive(receiver, 1)).hasSize(1);
        assertThat(receiver.receive(MESSAGES, Duration.ofSeconds(1))).isEmpty();
      }
    }
  }

  @Test
  void ackedRecordsGoWhileTheReceiverIsOpen() throws Exception {
    try (Mq mq = mq("delete.interval", "500ms")) {
      mq.createQueue(queue);
      send(mq, MESSAGES);
      try (Receiver receiver = mq.receiver(queue)) {
        ackAll(receiver, MESSAGES);
        awaitFirstOffsets(MESSAGES);
      }
    }
  }

  /** Kafka stores where a share group is with the ack after it, so the last ones stay. */
  @Test
  void ackedRecordsOfAShareGroupGo() throws Exception {
    try (Mq mq = mq("receive", "share", "delete.interval", "500ms")) {
      mq.createQueue(queue);
      try (Receiver receiver = mq.receiver(queue)) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (firstOffsets() == 0 && System.nanoTime() - deadline < 0) {
          send(mq, MESSAGES);
          ackAll(receiver, MESSAGES);
        }
      }
    }

    assertThat(firstOffsets()).isPositive().isLessThanOrEqualTo(lastOffsets());
  }

  @Test
  void recordsThatAreNotAckedStay() throws Exception {
    try (Mq mq = mq()) {
      mq.createQueue(queue);
      send(mq, MESSAGES);
      try (Receiver receiver = mq.receiver(queue)) {
        List<Delivery> all = receive(receiver, MESSAGES);
        // The first of each partition stays, and with it all that came later.
        Map<Object, Delivery> first =
            all.stream()
                .map(KafkaDelivery.class::cast)
                .collect(Collectors.toMap(KafkaDelivery::partition, d -> d, (a, b) -> a));
        var unused =
            receiver.ack(
                all.stream().filter(d -> !first.containsValue((KafkaDelivery) d)).toList());
      }
      assertThat(firstOffsets()).isZero();
      try (Receiver receiver = mq.receiver(queue)) {
        assertThat(receive(receiver, MESSAGES)).hasSize(MESSAGES);
      }
    }
  }

  /** Another group has its own progress, even where it has no member just now. */
  @Test
  void ackedRecordsStayWhereAnotherGroupHasRead() throws Exception {
    try (Mq mq = mq()) {
      mq.createQueue(queue);
      send(mq, MESSAGES);
      admin
          .alterConsumerGroupOffsets(
              "billing", Map.of(new TopicPartition(queue, 0), new OffsetAndMetadata(1)))
          .all()
          .get(30, TimeUnit.SECONDS);
      try (Receiver receiver = mq.receiver(queue)) {
        ackAll(receiver, MESSAGES);
      }
      assertThat(firstOffsets()).isZero();
    }

    try (Mq mq = mq("delete.acked", "always");
        Receiver receiver = mq.receiver(queue)) {
      assertThat(receiver.receive(1, Duration.ofMillis(100))).isEmpty();
    }
    assertThat(firstOffsets()).isEqualTo(MESSAGES);
  }

  /** One that has committed nothing yet. */
  @Test
  void ackedRecordsStayWhereAnotherGroupReads() throws Exception {
    try (Mq mq = mq();
        var billing =
            new KafkaConsumer<>(
                Map.of(
                    "bootstrap.servers",
                    servers(),
                    "group.id",
                    "billing-" + queue,
                    "enable.auto.commit",
                    "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      mq.createQueue(queue);
      billing.subscribe(List.of(queue));
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (billing.assignment().isEmpty() && System.nanoTime() - deadline < 0) {
        var unused = billing.poll(Duration.ofMillis(100));
      }
      send(mq, MESSAGES);
      try (Receiver receiver = mq.receiver(queue)) {
        ackAll(receiver, MESSAGES);
      }

      assertThat(firstOffsets()).isZero();
    }
  }

  @Test
  void ackedRecordsStayWhereTheUserSaysSo() throws Exception {
    try (Mq mq = mq("delete.acked", "never", "delete.interval", "100ms")) {
      mq.createQueue(queue);
      send(mq, MESSAGES);
      try (Receiver receiver = mq.receiver(queue)) {
        ackAll(receiver, MESSAGES);
      }
    }

    assertThat(firstOffsets()).isZero();
  }

  /** Kafka deletes by a topic's name, and the receiver of the old one knows that name only. */
  @Test
  void recordsOfANewQueueOfTheSameNameStay() throws Exception {
    try (Mq mq = mq()) {
      mq.createQueue(queue);
      send(mq, MESSAGES);
      Receiver receiver = mq.receiver(queue);
      ackAll(receiver, MESSAGES);
      mq.deleteQueue(queue);
      mq.createQueue(queue);
      send(mq, MESSAGES);
      receiver.close();

      assertThat(firstOffsets()).isZero();
    }
  }

  /** A holds for minutes, others join, and then B dies: what B held must not wait for A. */
  @Test
  void whatADeadReceiverHeldComesBackWhileAnotherOneHoldsOn() throws Exception {
    try (Mq mq = mq("partitions", "4", "rebalance.hold", "3s", "session.timeout.ms", "6000")) {
      mq.createQueue(queue);
      Receiver holder = mq.receiver(queue);
      Mortal mortal = new Mortal(groupOfTheQueue());
      try {
        mortal.awaitPartitions(2);
        Set<Integer> all = sendNumbered(mq);
        Set<Integer> held = new HashSet<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (held.size() + mortal.held().size() < all.size()
            && System.nanoTime() - deadline < 0) {
          held.addAll(numbers(holder.receive(MESSAGES, Duration.ofMillis(100))));
        }
        assertThat(held).isNotEmpty();
        Receiver third = mq.receiver(queue);
        Receiver fourth = mq.receiver(queue);
        mortal.awaitPartitions(1); // so the holder is asked to give one away as well

        long start = System.nanoTime();
        mortal.die();
        Set<Integer> missing = mortal.held();
        assertThat(missing).isNotEmpty();
        Duration bound = mq.traits().redeliveryBound();
        while (!missing.isEmpty() && System.nanoTime() - start < bound.toNanos()) {
          for (Receiver receiver : List.of(holder, third, fourth)) { // any of them may get it
            missing.removeAll(numbers(receiver.receive(MESSAGES, Duration.ofMillis(100))));
          }
        }
        assertThat(missing).as("not back within %s", bound).isEmpty();
      } finally {
        mortal.die();
      }
    }
  }

  private String groupOfTheQueue() throws Exception {
    List<String> groups =
        admin.listGroups().all().get(30, TimeUnit.SECONDS).stream()
            .map(GroupListing::groupId)
            .filter(id -> id.contains(queue))
            .toList();
    assertThat(groups).hasSize(1);
    return groups.get(0);
  }

  /** Kafka's own consumer, which can leave its group without a word. */
  private final class Mortal {

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Set<Integer>> received = new ConcurrentHashMap<>();
    private final Thread poller = new Thread(this::live, "mortal");
    private volatile boolean dead;
    private volatile Set<TopicPartition> assigned = Set.of();

    Mortal(String group) {
      Map<String, Object> config =
          Map.of(
              "bootstrap.servers",
              servers(),
              "group.id",
              group,
              "auto.offset.reset",
              "earliest",
              "enable.auto.commit",
              false,
              "partition.assignment.strategy",
              CooperativeStickyAssignor.class.getName(),
              "session.timeout.ms",
              6_000);
      consumer =
          new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      poller.start();
    }

    private void live() {
      consumer.subscribe(List.of(queue));
      while (!dead) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          received
              .computeIfAbsent(
                  new TopicPartition(record.topic(), record.partition()),
                  partition -> ConcurrentHashMap.newKeySet())
              .add(number(record.value()));
        }
        assigned = Set.copyOf(consumer.assignment());
      }
    }

    /** What it was given of the partitions that it still has. */
    Set<Integer> held() {
      Set<Integer> held = new HashSet<>();
      assigned.forEach(partition -> held.addAll(received.getOrDefault(partition, Set.of())));
      return held;
    }

    void awaitPartitions(int count) throws InterruptedException {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (assigned.size() != count && System.nanoTime() - deadline < 0) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      assertThat(assigned).hasSize(count);
    }

    /** Tells nobody, as a process that is killed. Idempotent. */
    void die() {
      dead = true;
      try {
        poller.join(PATIENCE.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      assertThat(poller.isAlive()).isFalse();
      consumer.close(CloseOptions.groupMembershipOperation(REMAIN_IN_GROUP));
    }
  }

  private static Set<Integer> numbers(List<Delivery> deliveries) {
    return deliveries.stream()
        .map(delivery -> number(delivery.message().body()))
        .collect(Collectors.toSet());
  }

  private Set<Integer> sendNumbered(Mq mq) throws Exception {
    try (Sender sender = mq.sender(queue)) {
      int batch = MESSAGES / 20; // several batches, so that each partition has some
      for (int first = 0; first < MESSAGES; first += batch) {
        sender.send(
            IntStream.range(first, first + batch)
                .mapToObj(m -> new Message(ByteBuffer.allocate(4).putInt(m).array()))
                .toList());
      }
    }
    return IntStream.range(0, MESSAGES).boxed().collect(Collectors.toSet());
  }

  private static int number(byte[] body) {
    return ByteBuffer.wrap(body).getInt();
  }

  /** Made by others: one copy, gone after a week, received or not. */
  @Test
  void aTopicThatCannotKeepThePromiseIsRefused() throws Exception {
    admin
        .createTopics(
            List.of(
                new NewTopic(queue, 1, (short) 1)
                    .configs(
                        Map.of(
                            "retention.ms", "604800000",
                            "cleanup.policy", "compact",
                            "min.insync.replicas", "1"))))
        .all()
        .get(30, TimeUnit.SECONDS);
    try (Mq mq = mq()) {
      List<ThrowingCallable> calls =
          List.of(() -> mq.createQueue(queue), () -> mq.sender(queue), () -> mq.receiver(queue));
      for (ThrowingCallable call : calls) {
        assertThatExceptionOfType(MqException.class)
            .isThrownBy(call)
            .withMessage(
                "Kafka at %s: topic %s cannot keep what the settings promise: replication"
                    + " factor of partition 0 is 1, must be at least 3; retention.ms is 604800000, must"
                    + " be -1; cleanup.policy is compact, must be delete; min.insync.replicas is 1,"
                    + " must be at least 2; change it, or the settings, or set"
                    + " check.topic=false and lose messages",
                servers(), queue);
      }
    }
    try (Mq mq = mq("check.topic", "false", "delete.acked", "never")) {
      mq.createQueue(queue);
      Sender unused = mq.sender(queue);
    }
  }

  private void send(Mq mq, int count) throws Exception {
    try (Sender sender = mq.sender(queue)) {
      for (int i = 0; i < 2 * PARTITIONS; i++) { // several batches, so that each partition has one
        int batch = count / (2 * PARTITIONS) + (i < count % (2 * PARTITIONS) ? 1 : 0);
        if (batch > 0) {
          sender.send(
              IntStream.range(0, batch).mapToObj(m -> new Message(new byte[] {(byte) m})).toList());
        }
      }
    }
  }

  private static void ackAll(Receiver receiver, int count) throws Exception {
    int acked = 0;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (acked < count && System.nanoTime() - deadline < 0) {
      List<Delivery> some = receiver.receive(count, Duration.ofSeconds(1));
      receiver.ack(some).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      acked += some.size();
    }
    assertThat(acked).isEqualTo(count);
  }

  private static List<Delivery> receive(Receiver receiver, int count) throws Exception {
    List<Delivery> all = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (all.size() < count && System.nanoTime() - deadline < 0) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    return all;
  }

  /** The first offsets of all partitions, added up: how many records are gone. */
  private long firstOffsets() throws Exception {
    return offsets(OffsetSpec.earliest());
  }

  private long lastOffsets() throws Exception {
    return offsets(OffsetSpec.latest());
  }

  private long offsets(OffsetSpec which) throws Exception {
    Map<TopicPartition, OffsetSpec> asked =
        IntStream.range(0, PARTITIONS)
            .boxed()
            .collect(Collectors.toMap(i -> new TopicPartition(queue, i), i -> which));
    return admin.listOffsets(asked).all().get(30, TimeUnit.SECONDS).values().stream()
        .mapToLong(offset -> offset.offset())
        .sum();
  }

  private void awaitFirstOffsets(long wanted) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (firstOffsets() != wanted && System.nanoTime() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    assertThat(firstOffsets()).isEqualTo(wanted);
  }

  private void forgetGroups() throws Exception {
    Collection<GroupListing> groups = admin.listGroups().all().get(30, TimeUnit.SECONDS);
    List<String> ours =
        groups.stream().map(GroupListing::groupId).filter(id -> id.contains(queue)).toList();
    assertThat(ours).hasSize(1);
    admin.deleteConsumerGroups(ours).all().get(30, TimeUnit.SECONDS);
  }
}
