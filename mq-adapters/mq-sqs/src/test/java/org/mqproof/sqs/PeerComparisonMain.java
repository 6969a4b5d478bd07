package org.mqproof.sqs;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;

/**
 * What pipelining gives: batches of ten from each thread, several under way, against one
 * synchronous request of ten at a time per thread, on one ElasticMQ and in pairs. With a round trip
 * the packets of both are held on their way, as the service is in no client's machine. Run by hand,
 * never as a test.
 *
 * <p>For one thread.
 */
final class PeerComparisonMain {

  private static final int BATCH = 10;
  private static final int BODY_BYTES = 100;
  private static final int OPEN_BATCHES = 32;
  private static final long WARM_UP_SECONDS = 3;
  private static final long MEASURED_SECONDS = 6;

  private PeerComparisonMain() {}

  /**
   * Prints the rates and the ratio of each pair.
   *
   * @param args threads, pairs, and the round trip in milliseconds, which needs root if it is not 0
   */
  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    int pairs = Integer.parseInt(args[1]);
    int roundTripMillis = Integer.parseInt(args[2]);
    if (roundTripMillis > 0) {
      System.setProperty(ClusterProvider.NETWORK_PROPERTY, "true");
    }
    List<Double> ratios = new ArrayList<>();
    try (Cluster cluster = ClusterProvider.named("sqs").start(Tuning.DEFAULT)) {
      if (roundTripMillis > 0) {
        cluster.delay(Duration.ofMillis(roundTripMillis).dividedBy(2));
      }
      for (int pair = 0; pair <= pairs; pair++) {
        boolean oursFirst = pair % 2 == 1;
        double first = rate(cluster, threads, oursFirst);
        double second = rate(cluster, threads, !oursFirst);
        double ours = oursFirst ? first : second;
        double theirs = oursFirst ? second : first;
        System.out.printf(
            Locale.ROOT,
            "%d threads, %d ms, %s: %,.0f against %,.0f msgs/s, ratio %.2f%n",
            threads,
            roundTripMillis,
            pair == 0 ? "warm-up" : "pair " + pair,
            ours,
            theirs,
            ours / theirs);
        if (pair > 0) {
          ratios.add(ours / theirs);
        }
      }
    }
    Collections.sort(ratios);
    System.out.printf(Locale.ROOT, "median ratio %.2f%n", ratios.get(ratios.size() / 2));
  }

  private static double rate(Cluster cluster, int threads, boolean ours) throws Exception {
    String queue = "comparison-" + System.nanoTime();
    LongAdder confirmed = new LongAdder();
    AtomicBoolean over = new AtomicBoolean();
    try (Mq mq = MqProvider.named("sqs").connect(cluster.settings())) {
      mq.createQueue(queue);
      try (SqsAsyncClient client = client(cluster.settings())) {
        List<Callable<@Nullable Void>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          workers.add(
              ours
                  ? pipelined(mq, queue, confirmed, over)
                  : synchronous(client, queue, confirmed, over));
        }
        return run(workers, confirmed, over);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static double run(
      List<Callable<@Nullable Void>> workers, LongAdder confirmed, AtomicBoolean over)
      throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(workers.size());
    try {
      List<Future<@Nullable Void>> running = workers.stream().map(pool::submit).toList();
      boolean ended = pool.awaitTermination(WARM_UP_SECONDS, TimeUnit.SECONDS);
      long before = confirmed.sum();
      long from = System.nanoTime();
      ended |= pool.awaitTermination(MEASURED_SECONDS, TimeUnit.SECONDS);
      double rate = (confirmed.sum() - before) * 1e9 / (System.nanoTime() - from);
      over.set(true); // no interrupt: a sender that is closed by one gives up what is under way
      if (ended) {
        throw new IllegalStateException("the workers ended before their time");
      }
      for (Future<@Nullable Void> worker : running) {
        worker.get(1, TimeUnit.MINUTES);
      }
      return rate;
    } finally {
      pool.shutdownNow();
    }
  }

  private static Callable<@Nullable Void> pipelined(
      Mq mq, String queue, LongAdder confirmed, AtomicBoolean over) {
    return () -> {
      List<Message> batch =
          IntStream.range(0, BATCH).mapToObj(i -> new Message(new byte[BODY_BYTES])).toList();
      Semaphore open = new Semaphore(OPEN_BATCHES);
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      try (Sender sender = mq.sender(queue)) {
        while (!over.get() && failure.get() == null) {
          open.acquire();
          var unused =
              sender
                  .sendAsync(batch)
                  .whenComplete(
                      (done, failed) -> {
                        if (failed == null) {
                          confirmed.add(BATCH);
                        } else {
                          failure.set(failed);
                        }
                        open.release();
                      });
        }
      }
      if (failure.get() != null) {
        throw new IllegalStateException(failure.get());
      }
      return null;
    };
  }

  private static Callable<@Nullable Void> synchronous(
      SqsAsyncClient client, String queue, LongAdder confirmed, AtomicBoolean over) {
    return () -> {
      String url = client.getQueueUrl(r -> r.queueName(queue)).join().queueUrl();
      String text = Base64.getEncoder().encodeToString(new byte[BODY_BYTES]);
      List<SendMessageBatchRequestEntry> entries =
          IntStream.range(0, BATCH)
              .mapToObj(
                  i ->
                      SendMessageBatchRequestEntry.builder()
                          .id(Integer.toString(i))
                          .messageBody(text)
                          .build())
              .toList();
      while (!over.get()) {
        SendMessageBatchResponse answer =
            client.sendMessageBatch(r -> r.queueUrl(url).entries(entries)).join();
        if (!answer.failed().isEmpty()) {
          throw new IllegalStateException(answer.failed().toString());
        }
        confirmed.add(BATCH);
      }
      return null;
    };
  }

  private static SqsAsyncClient client(Map<String, String> where) {
    return SqsAsyncClient.builder()
        .endpointOverride(URI.create(requireNonNull(where.get("endpoint"))))
        .region(Region.of(requireNonNull(where.get("region"))))
        .credentialsProvider(AnonymousCredentialsProvider.create())
        .build();
  }
}
