package org.mqproof.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;

/**
 * Claiming in batches beside claiming one by one, as the study of 2017 did, on one replica set: so
 * many receivers take what is in a queue and ack it, in pairs of alternating order.
 *
 * <p>Prints both rates of every pair and the median of the ratios. Only the ratios travel to
 * another machine. Run by hand, never as a test.
 */
final class ClaimComparisonMain {

  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final Duration MEASURED = Duration.ofSeconds(5);
  private static final int BODY_BYTES = 100;

  private final Map<String, String> cluster;
  private final String concern;
  private final int receivers;
  private final int max;

  private ClaimComparisonMain(Map<String, String> cluster, String concern, int receivers, int max) {
    this.cluster = cluster;
    this.concern = concern;
    this.receivers = receivers;
    this.max = max;
  }

  /**
   * Compares.
   *
   * @param args write concern (majority), receivers (8), largest batch of a receive (100), pairs
   *     (5), messages in the queue for batch (200000) and for one (30000)
   */
  public static void main(String[] args) throws Exception {
    String concern = args.length > 0 ? args[0] : "majority";
    int receivers = number(args, 1, 8);
    int max = number(args, 2, 100);
    int pairs = number(args, 3, 5);
    int forBatch = number(args, 4, 200_000);
    int forOne = number(args, 5, 30_000);
    try (Cluster cluster = ClusterProvider.named("mongodb").start(Tuning.DEFAULT)) {
      ClaimComparisonMain comparison =
          new ClaimComparisonMain(cluster.settings(), concern, receivers, max);
      System.out.printf(
          "%s, %s, %d receivers, receive(%d): claim=batch against claim=one%n",
          cluster, concern, receivers, max);
      List<Double> ratios = new ArrayList<>();
      for (int pair = 1; pair <= pairs; pair++) {
        boolean batchFirst = pair % 2 == 1;
        double first = comparison.rate(batchFirst, batchFirst ? forBatch : forOne);
        double second = comparison.rate(!batchFirst, batchFirst ? forOne : forBatch);
        double batch = batchFirst ? first : second;
        double one = batchFirst ? second : first;
        ratios.add(batch / one);
        System.out.printf(
            Locale.ROOT,
            "  pair %d: %,8.0f against %,8.0f msgs/s, ratio %.2f%n",
            pair,
            batch,
            one,
            batch / one);
      }
      Collections.sort(ratios);
      System.out.printf(
          Locale.ROOT,
          "  median ratio %.2f (from %.2f to %.2f)%n",
          ratios.get(ratios.size() / 2),
          ratios.get(0),
          ratios.get(ratios.size() - 1));
    }
  }

  private static int number(String[] args, int index, int orElse) {
    return args.length > index ? Integer.parseInt(args[index]) : orElse;
  }

  /**
   * Messages per second that were received and acked; fails if the queue ran dry before the end.
   */
  private double rate(boolean batch, int messages) throws Exception {
    Map<String, String> settings = new HashMap<>(cluster);
    settings.put("write.concern", concern);
    settings.put("claim", batch ? "batch" : "one");
    String queue = "claims-" + System.nanoTime();
    ExecutorService threads = Executors.newFixedThreadPool(receivers);
    try (Mq mq = MqProvider.named("mongodb").connect(settings)) {
      mq.createQueue(queue);
      fill(mq, queue, messages);
      LongAdder acked = new LongAdder();
      List<Callable<Boolean>> tasks =
          IntStream.range(0, receivers)
              .<Callable<Boolean>>mapToObj(i -> () -> receive(mq, queue, acked))
              .toList();
      List<Future<Boolean>> running = new ArrayList<>();
      tasks.forEach(task -> running.add(threads.submit(task)));
      long before = await(running, WARM_UP, acked);
      long from = System.nanoTime();
      long after = await(running, MEASURED, acked);
      double rate = (after - before) * 1e9 / (System.nanoTime() - from);
      threads.shutdownNow();
      if (!threads.awaitTermination(1, TimeUnit.MINUTES) || after >= messages) {
        throw new IllegalStateException("the queue of %d ran dry".formatted(messages));
      }
      mq.deleteQueue(queue);
      return rate;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Lets the receivers work for some time; returns how much is acked then. */
  private static long await(List<Future<Boolean>> running, Duration time, LongAdder acked)
      throws Exception {
    try {
      boolean unused = running.get(0).get(time.toNanos(), TimeUnit.NANOSECONDS);
      throw new IllegalStateException("a receiver stopped");
    } catch (TimeoutException e) {
      return acked.sum();
    }
  }

  private boolean receive(Mq mq, String queue, LongAdder acked) throws Exception {
    try (Receiver receiver = mq.receiver(queue)) {
      while (true) {
        List<Delivery> batch = receiver.receive(max, Duration.ofSeconds(1));
        receiver.ack(batch).get(1, TimeUnit.MINUTES);
        acked.add(batch.size());
      }
    }
  }

  private static void fill(Mq mq, String queue, int messages) throws Exception {
    try (Sender sender = mq.sender(queue)) {
      List<Message> batch =
          IntStream.range(0, 1_000).mapToObj(i -> new Message(new byte[BODY_BYTES])).toList();
      for (int sent = 0; sent < messages; sent += batch.size()) {
        sender.send(batch);
      }
    }
  }
}
