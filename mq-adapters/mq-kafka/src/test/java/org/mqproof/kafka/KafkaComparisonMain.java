package org.mqproof.kafka;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.spi.MqProvider;

/**
 * Compares the adapter with the loops of the 2017 study, side by side on one cluster: a rough check
 * while developing, whose ratios count and whose rates do not. The benchmarks are elsewhere.
 *
 * <p>Arguments: bootstrap servers, seconds per measurement, pairs, and which of {@code send},
 * {@code send100}, {@code threads}, {@code receive}, {@code share}.
 */
final class KafkaComparisonMain {

  private static final int BODY_BYTES = 100;
  private static final int THREADS = 25;
  private static final int PREFILL = 3_000_000;

  private final String servers;
  private final Duration time;

  private KafkaComparisonMain(String servers, Duration time) {
    this.servers = servers;
    this.time = time;
  }

  /** Messages per second, and this process's CPU time per message. */
  private record Rate(double perSecond, double cpuMicros) {
    static Rate of(long count, long startNanos, double startCpuMicros) {
      return new Rate(
          count * 1e9 / (System.nanoTime() - startNanos), (processCpu() - startCpuMicros) / count);
    }
  }

  /** Something that sends one batch and returns when it is confirmed. */
  private interface BatchSender extends AutoCloseable {
    void send(int count) throws InterruptedException, ExecutionException;

    @Override
    void close();
  }

  public static void main(String[] args) throws Exception {
    KafkaComparisonMain main =
        new KafkaComparisonMain(args[0], Duration.ofSeconds(Long.parseLong(args[1])));
    for (int pair = 0; pair < Integer.parseInt(args[2]); pair++) {
      for (String what : List.of(args).subList(3, args.length)) {
        main.compare(what);
      }
    }
  }

  /** CPU time of this process in microseconds: less disturbed by other processes than a rate is. */
  private static double processCpu() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / 1e3;
  }

  private void compare(String what) throws Exception {
    Rate old;
    Rate ours;
    switch (what) {
      case "send" -> {
        old = send(1, 10, false);
        ours = send(1, 10, true);
      }
      case "send100" -> {
        old = send(1, 199, false);
        ours = send(1, 199, true);
      }
      case "threads" -> {
        old = send(THREADS, 10, false);
        ours = send(THREADS, 10, true);
      }
      case "receive" -> {
        prefill("old", Map.of());
        old = receive2017("old");
        prefill("ours", Map.of());
        ours = receive("ours", Map.of(), PREFILL);
      }
      case "share" -> {
        Map<String, String> share =
            Map.of("receive", "share", "partitions", "1", "max.poll.records", "2000");
        prefill("shared", share);
        old = new Rate(Double.NaN, Double.NaN);
        ours = receive("shared", share, 200_000);
      }
      default -> throw new IllegalArgumentException(what);
    }
    System.out.printf(
        "%-8s 2017 %,10.0f/s %6.2f us CPU  ours %,10.0f/s %6.2f us CPU  x %.2f%n",
        what,
        old.perSecond,
        old.cpuMicros,
        ours.perSecond,
        ours.cpuMicros,
        ours.perSecond / old.perSecond);
  }

  private Mq connect(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("bootstrap.servers", servers);
    return MqProvider.named("kafka").connect(settings);
  }

  private Rate send(int threads, int most, boolean ours) throws Exception {
    try (Mq mq = connect(Map.of())) {
      mq.deleteQueue("sent");
      mq.createQueue("sent");
      List<BatchSender> senders = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        senders.add(ours ? new OurSender(mq.sender("sent")) : new Sender2017(servers, "sent"));
      }
      run(senders, most, time.dividedBy(2)); // warms up
      Rate rate = run(senders, most, time);
      senders.forEach(BatchSender::close);
      return rate;
    }
  }

  private static Rate run(List<BatchSender> senders, int most, Duration time) {
    long start = System.nanoTime();
    double cpu = processCpu();
    List<CompletableFuture<Long>> counts = new ArrayList<>();
    for (int i = 0; i < senders.size(); i++) {
      BatchSender sender = senders.get(i);
      SplittableRandom random = new SplittableRandom(i);
      counts.add(
          CompletableFuture.supplyAsync(
              () -> {
                long sent = 0;
                while (System.nanoTime() - start < time.toNanos()) {
                  int count = 1 + random.nextInt(most);
                  try {
                    sender.send(count);
                  } catch (InterruptedException | ExecutionException e) {
                    throw new IllegalStateException(e);
                  }
                  sent += count;
                }
                return sent;
              },
              runnable -> new Thread(runnable).start()));
    }
    long sent = counts.stream().mapToLong(CompletableFuture::join).sum();
    return Rate.of(sent, start, cpu);
  }

  private record OurSender(Sender sender) implements BatchSender {
    @Override
    public void send(int count) throws InterruptedException {
      List<Message> batch = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        batch.add(new Message(new byte[BODY_BYTES]));
      }
      sender.send(batch);
    }

    @Override
    public void close() {
      sender.close();
    }
  }

  /** Sends all, then waits for each future in turn. */
  private static final class Sender2017 implements BatchSender {
    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;

    Sender2017(String servers, String topic) {
      this.topic = topic;
      producer =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", servers, "acks", "all", "linger.ms", "0"),
              new ByteArraySerializer(),
              new ByteArraySerializer());
    }

    @Override
    public void send(int count) throws InterruptedException, ExecutionException {
      List<Future<RecordMetadata>> futures = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        futures.add(producer.send(new ProducerRecord<>(topic, new byte[BODY_BYTES])));
      }
      for (Future<RecordMetadata> future : futures) {
        future.get();
      }
    }

    @Override
    public void close() {
      producer.close();
    }
  }

  private void prefill(String queue, Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      mq.deleteQueue(queue);
      mq.createQueue(queue);
      Sender sender = mq.sender(queue);
      List<CompletableFuture<Void>> sent = new ArrayList<>();
      for (int i = 0; i < PREFILL / 10_000; i++) {
        List<Message> batch = new ArrayList<>(10_000);
        for (int j = 0; j < 10_000; j++) {
          batch.add(new Message(new byte[BODY_BYTES]));
        }
        sent.add(sender.sendAsync(batch));
      }
      CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)).get(1, TimeUnit.MINUTES);
    }
  }

  private Rate receive(String queue, Map<String, String> settings, int count) throws Exception {
    try (Mq mq = connect(settings)) {
      Receiver receiver = mq.receiver(queue);
      long start = 0;
      double cpu = 0;
      int received = 0;
      CompletableFuture<Void> ack = CompletableFuture.completedFuture(null);
      while (received < count) {
        List<Delivery> batch = receiver.receive(1000, Duration.ofSeconds(10));
        if (start == 0) {
          start = System.nanoTime();
          cpu = processCpu();
        }
        received += batch.size();
        ack = receiver.ack(batch);
      }
      ack.get(30, TimeUnit.SECONDS);
      return Rate.of(received, start, cpu);
    }
  }

  /** Polls with the client's defaults, and commits what was polled every ten seconds. */
  private Rate receive2017(String queue) {
    Map<String, Object> config =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            servers,
            ConsumerConfig.GROUP_ID_CONFIG,
            "2017-" + System.nanoTime(),
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(queue));
      long start = 0;
      double cpu = 0;
      long committed = System.nanoTime();
      int received = 0;
      while (received < PREFILL) {
        int got = consumer.poll(Duration.ofMillis(500)).count();
        if (start == 0 && got > 0) {
          start = System.nanoTime();
          cpu = processCpu();
        }
        received += got;
        if (System.nanoTime() - committed > TimeUnit.SECONDS.toNanos(10)) {
          consumer.commitAsync();
          committed = System.nanoTime();
        }
      }
      consumer.commitSync();
      return Rate.of(received, start, cpu);
    }
  }
}
