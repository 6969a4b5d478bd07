package org.mqproof.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Tool;
import org.mqproof.comparison.Usage;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside the clients that others measured with, on one three-node cluster, in pairs.
 * {@code docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int PREFILLED = 4_000_000;
  private static final int SETTLED = 500_000; // the group has its partitions, the code is warm
  private static final String TOOLS_VERSION = "4.3.1"; // the newest that can be had whole
  private static final int RECORDS = 1_500_000; // for the tool
  private static final int SMALL_BYTES = 100;
  private static final int LARGE_BYTES = 1000;
  private static final String FILLED_QUEUE = "filled.queue"; // what the preparation adds

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    int status =
        new Comparison(
                PeerComparisonMain.class,
                "kafka",
                List.of(
                    Workload.of(
                        "one-thread",
                        settings -> sendThroughMq(settings, 1),
                        "a client that waits for each future in turn",
                        settings -> sendAndWaitForEachFuture(settings, 1)),
                    Workload.of(
                        "25-threads",
                        settings -> sendThroughMq(settings, 25),
                        "a producer per thread, waiting for each future in turn",
                        settings -> sendAndWaitForEachFuture(settings, 25)),
                    Workload.of(
                        "large",
                        PeerComparisonMain::sendLargeBatchesThroughMq,
                        "ProducerPerformance",
                        PeerComparisonMain::producerPerformance),
                    Workload.of(
                            "receive",
                            PeerComparisonMain::receiveThroughMq,
                            "the receiver of the 2017 study",
                            PeerComparisonMain::receiveAsIn2017)
                        .preparedBy(settings -> Map.of(FILLED_QUEUE, fill(settings)))))
            .run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  // Sending, batches of 1 to 10 messages.

  private static Rate sendThroughMq(Map<String, String> settings, int threads) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(settings, Map.of())) {
      mq.createQueue(queue);
      try {
        return Load.of(
            Collections.nCopies(threads, Load.sendingSmallBatches(mq, queue, SMALL_BYTES)));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static Rate sendAndWaitForEachFuture(Map<String, String> settings, int threads)
      throws Exception {
    String queue = newQueue();
    List<KafkaProducer<byte[], byte[]>> producers = Collections.synchronizedList(new ArrayList<>());
    try (Mq mq = connect(settings, Map.of())) {
      mq.createQueue(queue);
      try {
        return Load.of(
            Collections.nCopies(
                threads,
                () -> {
                  KafkaProducer<byte[], byte[]> producer = producer(settings);
                  producers.add(producer);
                  Random random = new Random();
                  byte[] body = new byte[SMALL_BYTES];
                  List<Future<RecordMetadata>> futures = new ArrayList<>();
                  return () -> {
                    int size = 1 + random.nextInt(10);
                    for (int i = 0; i < size; i++) {
                      futures.add(producer.send(new ProducerRecord<>(queue, body)));
                    }
                    for (Future<RecordMetadata> future : futures) {
                      future.get();
                    }
                    futures.clear();
                    return size;
                  };
                }));
      } finally {
        producers.forEach(producer -> producer.close(Duration.ofSeconds(5)));
        mq.deleteQueue(queue);
      }
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, String> settings) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", of(settings, "bootstrap.servers"),
            "acks", "all",
            "enable.idempotence", "true",
            "linger.ms", "0"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  // Large batches of 1,000-byte messages; on both sides linger 1 ms, record batches of 256 KiB, and
  // five requests in flight, which is the tool's default.

  private static Rate sendLargeBatchesThroughMq(Map<String, String> settings) throws Exception {
    String queue = newQueue();
    try (Mq mq =
        connect(
            settings,
            Map.of(
                "linger.ms", "1",
                "batch.size", "262144",
                "max.in.flight.requests.per.connection", "5"))) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue)) {
        List<Message> batch = Load.messages(500, LARGE_BYTES);
        CompletableFuture<?>[] window = new CompletableFuture<?>[40];
        Arrays.fill(window, CompletableFuture.completedFuture(null));
        int[] next = {0};
        return Load.of(
            List.of(
                () ->
                    () -> {
                      int slot = next[0]++ % window.length;
                      window[slot].get(1, TimeUnit.MINUTES);
                      window[slot] = sender.sendAsync(batch);
                      return batch.size();
                    }));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static Rate producerPerformance(Map<String, String> settings) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(settings, Map.of())) {
      mq.createQueue(queue);
      try {
        return runProducerPerformance(of(settings, "bootstrap.servers"), queue);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** From the tool's own artifact; any version can drive any broker. */
  private static Rate runProducerPerformance(String servers, String queue) throws Exception {
    List<Tool.Line> lines =
        Tool.run(
            "ProducerPerformance",
            List.of(
                "org.apache.kafka:kafka-tools:" + TOOLS_VERSION, "org.slf4j:slf4j-simple:1.7.36"),
            List.of("org.apache.kafka:kafka-tools-api"),
            "org.apache.kafka.tools.ProducerPerformance",
            List.of(
                "--topic",
                queue,
                "--num-records",
                Integer.toString(RECORDS),
                "--warmup-records",
                "500000",
                "--record-size",
                Integer.toString(LARGE_BYTES),
                "--throughput",
                "-1",
                "--producer-props",
                "bootstrap.servers=" + servers,
                "acks=all",
                "enable.idempotence=true",
                "linger.ms=1",
                "batch.size=262144"));
    Pattern rate = Pattern.compile("([\\d.]+) records/sec");
    List<Tool.Line> rates =
        lines.stream().filter(line -> rate.matcher(line.text()).find()).toList();
    if (rates.isEmpty()) {
      throw new IllegalStateException("ProducerPerformance told no rate");
    }
    Tool.Line last = rates.get(rates.size() - 1);
    Matcher found = rate.matcher(last.text());
    double perSecond = found.find() ? Double.parseDouble(found.group(1)) : Double.NaN;
    // What it used in its life as a whole: it does not say when its warm-up was over.
    Usage used = last.usage();
    return new Rate(
        perSecond, used.cpuNanos() / 1e3 / RECORDS, (double) used.allocatedBytes() / RECORDS);
  }

  // Receiving, 100-byte messages that are all there already.

  private static String fill(Map<String, String> settings) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(settings, Map.of("batch.size", "262144"))) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue)) {
        List<Message> batch = Load.messages(1000, SMALL_BYTES);
        List<CompletableFuture<Void>> window = new ArrayList<>();
        for (int sent = 0; sent < PREFILLED; sent += batch.size()) {
          window.add(sender.sendAsync(batch));
          if (window.size() == 50) {
            CompletableFuture.allOf(window.toArray(CompletableFuture[]::new)).get();
            window.clear();
          }
        }
        CompletableFuture.allOf(window.toArray(CompletableFuture[]::new)).get();
      }
    }
    return queue;
  }

  private static Rate receiveThroughMq(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings, Map.of("group.id", "peers-" + System.nanoTime()));
        Receiver receiver = mq.receiver(of(settings, FILLED_QUEUE))) {
      return Load.ofBacklog(
          PREFILLED,
          SETTLED,
          () -> {
            List<Delivery> batch = receiver.receive(1000, Duration.ofSeconds(30));
            var unused = receiver.ack(batch);
            return batch.size();
          });
    }
  }

  /**
   * The client of the 2017 study, with its defects mended: bodies as text, at most so many of a
   * poll in one receive, an ack that remembers the highest offset, a commit every 10 s.
   */
  private static Rate receiveAsIn2017(Map<String, String> settings) throws Exception {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers",
            of(settings, "bootstrap.servers"),
            "group.id",
            "peers-" + System.nanoTime(),
            "enable.auto.commit",
            "false",
            "auto.offset.reset",
            "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(of(settings, FILLED_QUEUE)));
      Map<TopicPartition, Long> acked = new HashMap<>();
      List<Iterator<ConsumerRecord<String, String>>> polled = new ArrayList<>();
      polled.add(Collections.emptyIterator());
      long[] lastCommit = {System.nanoTime()};
      return Load.ofBacklog(
          PREFILLED,
          SETTLED,
          () -> {
            if (System.nanoTime() - lastCommit[0] > TimeUnit.SECONDS.toNanos(10)) {
              Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
              acked.forEach(
                  (partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset + 1)));
              consumer.commitAsync(offsets, null);
              lastCommit[0] = System.nanoTime();
            }
            if (!polled.get(0).hasNext()) {
              polled.set(0, consumer.poll(Duration.ofMillis(500)).iterator());
            }
            List<Received> batch = new ArrayList<>();
            while (batch.size() < 1000 && polled.get(0).hasNext()) {
              ConsumerRecord<String, String> record = polled.get(0).next();
              batch.add(
                  new Received(
                      new TopicPartition(record.topic(), record.partition()),
                      record.offset(),
                      record.value()));
            }
            for (Received received : batch) {
              acked.merge(received.partition(), received.offset(), Math::max);
            }
            return batch.size();
          });
    }
  }

  private record Received(TopicPartition partition, long offset, String body) {}

  // What both sides share.

  /** The preparation's entry is none of the adapter's settings. */
  private static Mq connect(Map<String, String> settings, Map<String, String> workload) {
    Map<String, String> all = new HashMap<>(workload);
    all.putAll(settings);
    all.remove(FILLED_QUEUE);
    return MqProvider.named("kafka").connect(all);
  }

  private static String of(Map<String, String> settings, String key) {
    return Objects.requireNonNull(settings.get(key), key);
  }

  private static String newQueue() {
    return "peers-" + Long.toHexString(System.nanoTime());
  }
}
