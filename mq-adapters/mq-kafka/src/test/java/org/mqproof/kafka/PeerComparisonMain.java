package org.mqproof.kafka;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.MavenClassPath;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside the clients that others measured with, on one three-node cluster, in pairs.
 *
 * <p>Prints, for each workload, the rate of both sides in every pair and the median of the ratios.
 * Only the ratios travel to another machine. Run by hand, never as a test: a rate proves nothing in
 * a build that shares its cores. {@code docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final Duration WARM_UP = Duration.ofSeconds(4);
  private static final Duration MEASURED = Duration.ofSeconds(8);
  private static final int PREFILLED = 4_000_000;
  private static final String TOOLS_VERSION = "4.3.1"; // the newest that can be had whole
  private static final int SMALL_BYTES = 100;
  private static final int LARGE_BYTES = 1000;

  /** One side of a pair: runs once and returns messages per second. */
  private interface Side {
    double rate() throws Exception;
  }

  private PeerComparisonMain() {}

  /**
   * Runs the workloads named in the arguments, or all: one-thread 25-threads large receive. {@code
   * -Dpairs=N} says how many pairs (5), {@code -Dmax.in.flight=N} sets the adapter's requests in
   * flight.
   */
  public static void main(String[] args) throws Exception {
    List<String> workloads =
        args.length > 0 ? List.of(args) : List.of("one-thread", "25-threads", "large", "receive");
    int pairs = Integer.getInteger("pairs", 5);
    try (Cluster cluster = ClusterProvider.named("kafka").start(Tuning.DEFAULT)) {
      String servers = Objects.requireNonNull(cluster.settings().get("bootstrap.servers"));
      for (String workload : workloads) {
        switch (workload) {
          case "one-thread" ->
              compare(
                  workload,
                  pairs,
                  () -> sendThroughMq(servers, 1),
                  "a client that waits for each future in turn",
                  () -> sendAndWaitForEachFuture(servers, 1));
          case "25-threads" ->
              compare(
                  workload,
                  pairs,
                  () -> sendThroughMq(servers, 25),
                  "a producer per thread, waiting for each future in turn",
                  () -> sendAndWaitForEachFuture(servers, 25));
          case "large" ->
              compare(
                  workload,
                  pairs,
                  () -> sendLargeBatchesThroughMq(servers),
                  "ProducerPerformance",
                  () -> producerPerformance(servers));
          case "receive" -> {
            String queue = prefill(servers, PREFILLED);
            compare(
                workload,
                pairs,
                () -> receiveThroughMq(servers, queue),
                "the receiver of the 2017 study",
                () -> receiveAsIn2017(servers, queue));
          }
          default -> throw new IllegalArgumentException("no workload " + workload);
        }
      }
    }
  }

  private static void compare(String workload, int pairs, Side ours, String peer, Side theirs)
      throws Exception {
    List<Double> ratios = new ArrayList<>();
    System.out.printf("%n%s: mq-kafka against %s%n", workload, peer);
    // Brokers and disks that are cold favour whoever comes second: a pair that does not count.
    ours.rate();
    theirs.rate();
    for (int pair = 1; pair <= pairs; pair++) {
      // The order alternates, so that a machine that slows down favours neither side.
      boolean oursFirst = pair % 2 == 1;
      double first = (oursFirst ? ours : theirs).rate();
      double second = (oursFirst ? theirs : ours).rate();
      double our = oursFirst ? first : second;
      double their = oursFirst ? second : first;
      ratios.add(our / their);
      System.out.printf(
          Locale.ROOT,
          "  pair %d: %,12.0f against %,12.0f msgs/s, ratio %.2f%n",
          pair,
          our,
          their,
          our / their);
    }
    Collections.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "  median ratio %.2f (from %.2f to %.2f)%n",
        ratios.get(ratios.size() / 2),
        ratios.get(0),
        ratios.get(ratios.size() - 1));
  }

  // Sending, batches of 1 to 10 messages.

  private static double sendThroughMq(String servers, int threads) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(servers, Map.of())) {
      mq.createQueue(queue);
      try {
        return rateOf(
            threads,
            thread -> {
              Sender sender = mq.sender(queue);
              Random random = new Random(thread);
              List<Message> messages = messages(10, SMALL_BYTES);
              return () -> {
                List<Message> batch = messages.subList(0, 1 + random.nextInt(10));
                sender.send(batch);
                return batch.size();
              };
            });
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static double sendAndWaitForEachFuture(String servers, int threads) throws Exception {
    String queue = newQueue();
    List<KafkaProducer<byte[], byte[]>> producers = Collections.synchronizedList(new ArrayList<>());
    try (Mq mq = connect(servers, Map.of())) {
      mq.createQueue(queue);
      try {
        return rateOf(
            threads,
            thread -> {
              KafkaProducer<byte[], byte[]> producer = producer(servers);
              producers.add(producer);
              Random random = new Random(thread);
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
            });
      } finally {
        producers.forEach(producer -> producer.close(Duration.ofSeconds(5)));
        mq.deleteQueue(queue);
      }
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(String servers) {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", servers,
            "acks", "all",
            "enable.idempotence", "true",
            "linger.ms", "0"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  // Large batches of 1,000-byte messages; on both sides linger 1 ms, record batches of 256 KiB, and
  // five requests in flight, which is the tool's default.

  private static double sendLargeBatchesThroughMq(String servers) throws Exception {
    String queue = newQueue();
    try (Mq mq =
        connect(
            servers,
            Map.of(
                "linger.ms", "1",
                "batch.size", "262144",
                "max.in.flight.requests.per.connection", "5"))) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue)) {
        List<Message> batch = messages(500, LARGE_BYTES);
        CompletableFuture<?>[] window = new CompletableFuture<?>[40];
        Arrays.fill(window, CompletableFuture.completedFuture(null));
        int[] next = {0};
        return rateOf(
            1,
            thread ->
                () -> {
                  int slot = next[0]++ % window.length;
                  window[slot].get(1, TimeUnit.MINUTES);
                  window[slot] = sender.sendAsync(batch);
                  return batch.size();
                });
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static double producerPerformance(String servers) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(servers, Map.of())) {
      mq.createQueue(queue);
      try {
        Process tool =
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    tools(),
                    "org.apache.kafka.tools.ProducerPerformance",
                    "--topic",
                    queue,
                    "--num-records",
                    "1500000",
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
                    "batch.size=262144")
                .redirectErrorStream(true)
                .start();
        String last = "";
        try (BufferedReader out =
            new BufferedReader(
                new InputStreamReader(tool.getInputStream(), StandardCharsets.UTF_8))) {
          for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.contains("records/sec")) {
              last = line;
            }
          }
        }
        if (!tool.waitFor(1, TimeUnit.MINUTES) || tool.exitValue() != 0) {
          throw new IllegalStateException("ProducerPerformance failed; last line: " + last);
        }
        Matcher rate = Pattern.compile("([\\d.]+) records/sec").matcher(last);
        if (!rate.find()) {
          throw new IllegalStateException("no rate in: " + last);
        }
        return Double.parseDouble(rate.group(1));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** The tool from its own artifact; any version can drive any broker. */
  private static String tools() {
    return MavenClassPath.resolve(
            "Kafka's tools",
            List.of(
                "org.apache.kafka:kafka-tools:" + TOOLS_VERSION, "org.slf4j:slf4j-simple:1.7.36"),
            List.of("org.apache.kafka:kafka-tools-api"),
            System.err::println)
        .stream()
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  // Receiving, 100-byte messages that are all there already.

  private static String prefill(String servers, int count) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(servers, Map.of("batch.size", "262144"))) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue)) {
        List<Message> batch = messages(1000, SMALL_BYTES);
        List<CompletableFuture<Void>> window = new ArrayList<>();
        for (int sent = 0; sent < count; sent += batch.size()) {
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

  private static double receiveThroughMq(String servers, String queue) throws Exception {
    try (Mq mq = connect(servers, Map.of("group.id", "peers-" + System.nanoTime()));
        Receiver receiver = mq.receiver(queue)) {
      return receiveRate(
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
  private static double receiveAsIn2017(String servers, String queue) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", servers);
    settings.put("group.id", "peers-" + System.nanoTime());
    settings.put("enable.auto.commit", "false");
    settings.put("auto.offset.reset", "earliest");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(List.of(queue));
      Map<TopicPartition, Long> acked = new HashMap<>();
      List<Iterator<ConsumerRecord<String, String>>> polled = new ArrayList<>();
      polled.add(Collections.emptyIterator());
      long[] lastCommit = {System.nanoTime()};
      return receiveRate(
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

  /** From the 500,000th message, when the group has settled and the code is warm, to the last. */
  private static double receiveRate(Step step) throws Exception {
    long from = 0;
    long received = 0;
    long before = 0;
    while (received < PREFILLED) {
      int count = step.messages();
      received += count;
      if (from == 0 && received >= 500_000) {
        from = System.nanoTime();
        before = received;
      }
    }
    return (received - before) * 1e9 / (System.nanoTime() - from);
  }

  // What both sides share.

  /** One call and how many messages it moved. */
  private interface Step {
    int messages() throws Exception;
  }

  /** Makes the step that one thread repeats. */
  private interface Worker {
    Step start(int thread) throws Exception;
  }

  /** Messages per second of all threads together, after the warm-up. */
  private static double rateOf(int threads, Worker worker) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    LongAdder moved = new LongAdder();
    AtomicBoolean stop = new AtomicBoolean();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  Step step = worker.start(thread);
                  while (!stop.get()) {
                    moved.add(step.messages());
                  }
                  return null;
                }));
      }
      CountDownLatch never = new CountDownLatch(1);
      never.await(WARM_UP.toMillis(), TimeUnit.MILLISECONDS);
      long before = moved.sum();
      long from = System.nanoTime();
      never.await(MEASURED.toMillis(), TimeUnit.MILLISECONDS);
      double rate = (moved.sum() - before) * 1e9 / (System.nanoTime() - from);
      stop.set(true);
      for (Future<?> thread : running) {
        thread.get(1, TimeUnit.MINUTES); // a side that failed has no rate
      }
      return rate;
    } finally {
      stop.set(true);
      pool.shutdownNow();
    }
  }

  private static List<Message> messages(int count, int bytes) {
    byte[] body = new byte[bytes];
    new Random(bytes).nextBytes(body);
    return Collections.nCopies(count, new Message(body));
  }

  private static Mq connect(String servers, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("bootstrap.servers", servers);
    String inFlight = System.getProperty("max.in.flight");
    if (inFlight != null) {
      all.put("max.in.flight.requests.per.connection", inFlight);
    }
    return MqProvider.named("kafka").connect(all);
  }

  private static String newQueue() {
    return "peers-" + Long.toHexString(System.nanoTime());
  }
}
