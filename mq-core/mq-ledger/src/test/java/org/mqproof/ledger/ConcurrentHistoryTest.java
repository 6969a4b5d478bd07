package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Outcome;

/**
 * Several senders, receivers and ack threads on one ledger, with faults that are counted where they
 * are made, while another thread keeps asking for verdicts.
 */
class ConcurrentHistoryTest {

  private static final int SENDERS = 3;
  private static final int RECEIVERS = 3;
  private static final int BATCHES = 400;
  private static final long DEADLINE_SECONDS = 30;

  /** What the threads of one history did, counted by themselves. */
  private static final class Counts {
    final LongAdder lost = new LongAdder();
    final LongAdder duplicated = new LongAdder();
    final LongAdder corrupt = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder rejectedDelivered = new LongAdder();
    final LongAdder unknown = new LongAdder();
    final LongAdder recovered = new LongAdder();
    final LongAdder attempted = new LongAdder();
    final LongAdder delivered = new LongAdder();
  }

  @Property(tries = 20)
  void countsAreExactOnceTheWritersAreDone(@ForAll long seed) throws Exception {
    Path directory = Files.createTempDirectory("mqproof-history");
    try {
      Verdict verdict = judge(seed, directory);
      List<Path> files;
      try (Stream<Path> found = Files.list(directory)) {
        files = found.toList();
      }
      // In the order of the live ledger, whatever the threads did: so these counts match, too.
      assertThat(History.read(files).verdict()).isEqualTo(verdict);
      for (Path file : files) {
        Files.delete(file);
      }
    } finally {
      Files.delete(directory);
    }
  }

  @Property(tries = 20)
  void countsAreExactWithoutAHistory(@ForAll long seed) throws Exception {
    try (Ledger ledger = new Ledger()) {
      judge(seed, new Counts(), ledger);
    }
  }

  private static Verdict judge(long seed, Path directory) throws Exception {
    Counts counts = new Counts();
    try (Ledger ledger = Ledger.recordedIn(directory, "threads of one process")) {
      return judge(seed, counts, ledger);
    }
  }

  private static Verdict judge(long seed, Counts counts, Ledger ledger) throws Exception {
    BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
    CountDownLatch sending = new CountDownLatch(SENDERS);
    ExecutorService threads = Executors.newCachedThreadPool();
    ExecutorService ackThreads = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        SenderLog log = ledger.sender(i);
        Random random = new Random(seed + i);
        writers.add(
            threads.submit(call(() -> send(log, counts, random, queue, ackThreads, sending))));
      }
      for (int i = 0; i < RECEIVERS; i++) {
        ReceiverLog log = ledger.newReceiver();
        writers.add(threads.submit(call(() -> receive(log, queue, ackThreads, sending))));
      }
      Future<?> reader = threads.submit(call(() -> watch(ledger, writers)));
      for (Future<?> writer : writers) {
        writer.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      }
      reader.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } finally {
      threads.shutdownNow();
      ackThreads.shutdown();
      assertThat(ackThreads.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    Verdict verdict = ledger.verdict(true);
    long confirmed = counts.attempted.sum() - counts.rejected.sum() - counts.unknown.sum();
    assertThat(verdict)
        .usingRecursiveComparison()
        .ignoringFields(
            "examples",
            "reordered",
            "deliveredAfterAck",
            "anomalies") // these depend on the threads
        .isEqualTo(
            new Verdict(
                counts.attempted.sum(),
                confirmed,
                counts.rejected.sum(),
                counts.unknown.sum(),
                counts.delivered.sum(),
                counts.delivered.sum(),
                counts.lost.sum(),
                0,
                counts.duplicated.sum(),
                counts.rejectedDelivered.sum(),
                counts.recovered.sum(),
                counts.corrupt.sum(),
                0,
                0,
                true,
                Verdicts.ALL_GIVEN,
                Verdict.Anomalies.NONE,
                Expectations.AT_LEAST_ONCE,
                List.of()));
    assertThat(ledger.delivered()).isEqualTo(counts.delivered.sum());
    assertThat(ledger.allConfirmedDelivered()).isEqualTo(counts.lost.sum() == 0);
    return verdict;
  }

  private static void send(
      SenderLog log,
      Counts counts,
      Random random,
      BlockingQueue<Message> queue,
      ExecutorService confirmers,
      CountDownLatch sending) {
    for (int i = 0; i < BATCHES; i++) {
      List<Message> batch = Bodies.messages(1 + random.nextInt(10));
      long first = log.stamp(batch, 0);
      counts.attempted.add(batch.size());
      List<Outcome> outcomes = new ArrayList<>();
      for (Message message : batch) {
        outcomes.add(fate(message, counts, random, queue));
      }
      if (outcomes.stream().allMatch(outcome -> outcome == Outcome.CONFIRMED)) {
        confirmers.execute(() -> log.confirmed(first, batch.size()));
      } else {
        confirmers.execute(() -> log.failed(first, outcomes));
      }
    }
    sending.countDown();
  }

  private static Outcome fate(
      Message message, Counts counts, Random random, BlockingQueue<Message> queue) {
    switch (random.nextInt(40)) {
      case 0 -> {
        counts.lost.increment();
        return Outcome.CONFIRMED;
      }
      case 1 -> {
        counts.duplicated.increment();
        counts.delivered.increment();
        queue.add(message);
        queue.add(message);
        return Outcome.CONFIRMED;
      }
      case 2 -> {
        counts.corrupt.increment();
        counts.lost.increment();
        queue.add(Bodies.changed(message, random.nextInt(40), 1 + random.nextInt(255)));
        return Outcome.CONFIRMED;
      }
      case 3 -> {
        counts.rejected.increment();
        return Outcome.REJECTED;
      }
      case 4 -> {
        counts.rejected.increment();
        counts.rejectedDelivered.increment();
        counts.delivered.increment();
        queue.add(message);
        return Outcome.REJECTED;
      }
      case 5 -> {
        counts.unknown.increment();
        return Outcome.UNKNOWN;
      }
      case 6 -> {
        counts.unknown.increment();
        counts.recovered.increment();
        counts.delivered.increment();
        queue.add(message);
        return Outcome.UNKNOWN;
      }
      default -> {
        counts.delivered.increment();
        queue.add(message);
        return Outcome.CONFIRMED;
      }
    }
  }

  private static void receive(
      ReceiverLog log,
      BlockingQueue<Message> queue,
      ExecutorService ackThreads,
      CountDownLatch sending)
      throws InterruptedException {
    while (true) {
      boolean last = sending.getCount() == 0; // looked at first: what comes later is not missed
      List<Message> batch = new ArrayList<>();
      queue.drainTo(batch, 7);
      if (batch.isEmpty()) {
        if (last) {
          return;
        }
        Message next = queue.poll(1, TimeUnit.MILLISECONDS);
        if (next == null) {
          continue;
        }
        batch.add(next);
      }
      List<Delivery> deliveries = Bodies.deliveries(batch);
      log.delivered(deliveries, time -> {});
      log.givenToAck(deliveries);
      ackThreads.execute(() -> log.acked(deliveries));
    }
  }

  private static void watch(Ledger ledger, List<Future<?>> writers) {
    while (!writers.stream().allMatch(Future::isDone)) {
      Verdict verdict = ledger.verdict(false);
      assertThat(verdict.attempted())
          .isEqualTo(verdict.confirmed() + verdict.rejected() + verdict.unknown());
      assertThat(verdict.delivered()).isLessThanOrEqualTo(verdict.attempted());
      assertThat(verdict.acked()).isLessThanOrEqualTo(verdict.delivered());
      assertThat(ledger.outstanding()).isNotNegative();
      Thread.onSpinWait();
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  private static Callable<Void> call(Body body) {
    return new Callable<>() {
      @Override
      public Void call() throws Exception {
        body.run();
        return null;
      }
    };
  }
}
