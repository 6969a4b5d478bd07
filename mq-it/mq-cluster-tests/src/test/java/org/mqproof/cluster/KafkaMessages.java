package org.mqproof.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Messages in a topic of one partition, over new connections each time. Thread-safe: no state.
 *
 * @param servers the bootstrap servers
 */
record KafkaMessages(String servers, String topic) {

  void createTopic() throws Exception {
    ask(admin -> admin.createTopics(List.of(new NewTopic(topic, 1, (short) 3))).all());
  }

  /** Produces one by one, each with all its replicas confirmed. */
  void produce(int count) throws ExecutionException, InterruptedException {
    produce(count, Duration.ofSeconds(60));
  }

  /**
   * Produces as {@link #produce(int)} does.
   *
   * @param patience for each, and half as much for the topic to be found
   */
  void produce(int count, Duration patience) throws ExecutionException, InterruptedException {
    int millis = Math.toIntExact(patience.toMillis());
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            servers,
            "acks",
            "all",
            "delivery.timeout.ms",
            millis,
            "request.timeout.ms",
            millis / 2,
            "max.block.ms",
            millis / 2);
    ByteArraySerializer bytes = new ByteArraySerializer();
    KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes);
    try {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, 0, null, new byte[100])).get();
      }
    } finally {
      producer.close(patience);
    }
  }

  long endOffset() throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    return ask(admin ->
            admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition))
        .offset();
  }

  int inSync() throws Exception {
    Map<String, TopicDescription> topics =
        ask(admin -> admin.describeTopics(List.of(topic)).allTopicNames());
    return topics.values().iterator().next().partitions().get(0).isr().size();
  }

  private <T> T ask(Function<Admin, Future<T>> question) throws Exception {
    Admin admin = Admin.create(Map.of("bootstrap.servers", servers()));
    try {
      return question.apply(admin).get(30, TimeUnit.SECONDS);
    } finally {
      admin.close(Duration.ofSeconds(1)); // without a bound it may wait for a node that is cut off
    }
  }
}
