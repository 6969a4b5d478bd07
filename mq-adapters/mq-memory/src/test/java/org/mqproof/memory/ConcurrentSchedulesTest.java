package org.mqproof.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;

/**
 * Senders and receivers in threads of their own, which forget acks, close and let claims expire;
 * the ledger judges. A failure names its seed: {@code -Dmemory.seed=...} runs that one alone,
 * though not with the same interleaving.
 */
class ConcurrentSchedulesTest {

  private static final int SCHEDULES = 60;
  private static final int BATCHES = 60;

  private static final ExecutorService THREADS = Executors.newCachedThreadPool();

  @AfterAll
  static void endThreads() {
    THREADS.shutdownNow();
  }

  @Test
  void nothingIsLostOrInvented() throws Exception {
    Long only = Long.getLong("memory.seed");
    for (long seed = 0; seed < SCHEDULES; seed++) {
      if (only == null || only == seed) {
        Acked acked = new Acked();
        Verdict verdict = run(seed, acked);
        assertThat(verdict.judgement().headline())
            .as("replay with -Dmemory.seed=%d; %s", seed, verdict)
            .isEqualTo("holds");
        assertThat(verdict.unknown()).as("seed %d", seed).isZero();
        assertThat(acked.again).as("acked, then delivered; seed %d", seed).hasValue(0);
        assertThat(verdict.acked()).as("seed %d", seed).isEqualTo(verdict.confirmed());
      }
    }
  }

  /**
   * What was acked before a call that delivers it begins. The verdict's own count goes by when a
   * delivery is recorded: a thread that is held up has a message recorded whose claim has expired
   * meanwhile, and which another has acked.
   */
  private static final class Acked {

    private final Map<ByteBuffer, Long> since = new ConcurrentHashMap<>();
    private final AtomicInteger again = new AtomicInteger();

    List<Delivery> receive(Receiver receiver, ReceiverLog log, int max, Duration timeout)
        throws InterruptedException {
      long calledAt = System.nanoTime();
      List<Delivery> batch = receiver.receive(max, timeout);
      log.delivered(batch, sentAtNanos -> {});
      for (Delivery delivery : batch) {
        Long ackedAt = since.get(ByteBuffer.wrap(delivery.message().body()));
        if (ackedAt != null && ackedAt - calledAt < 0) {
          again.incrementAndGet();
        }
      }
      return batch;
    }

    void ack(Receiver receiver, ReceiverLog log, List<Delivery> batch) {
      // One by one: of a batch, some claims may have expired and others not.
      for (Delivery delivery : batch) {
        CompletableFuture<Void> ack = log.ack(receiver, List.of(delivery));
        if (!ack.isCompletedExceptionally()) {
          since.put(ByteBuffer.wrap(delivery.message().body()), System.nanoTime());
        }
      }
    }
  }

  private static Verdict run(long seed, Acked acked) throws Exception {
    Random random = new Random(seed);
    int senders = 1 + random.nextInt(3);
    int receivers = 1 + random.nextInt(3);
    MemoryBroker broker =
        MemoryBroker.builder()
            .capacity(1 + random.nextInt(300))
            .mostInFlight(1 + random.nextInt(60))
            .claimPeriod(Duration.ofMillis(1L + random.nextInt(50)))
            .callBound(Duration.ofMinutes(1))
            .build();
    Ledger ledger = new Ledger();
    try (Mq mq = broker.connect()) {
      // Claims expire: to the ledger that is a fault, which may bring back what is acked meanwhile.
      ledger.expect(Expectations.of(mq.traits()).withFaults());
      mq.createQueue("q");
      List<Future<Integer>> sending = new ArrayList<>();
      for (int i = 0; i < senders; i++) {
        sending.add(
            THREADS.submit(
                sender(mq.sender("q"), ledger.sender(i), new Random(random.nextLong()))));
      }
      List<Future<Integer>> receiving = new ArrayList<>();
      for (int i = 0; i < receivers; i++) {
        receiving.add(
            THREADS.submit(receiver(mq, ledger, acked, new Random(random.nextLong()), sending)));
      }
      for (Future<Integer> one : receiving) {
        one.get();
      }
    }
    return ledger.verdict(true);
  }

  private static Callable<Integer> sender(Sender sender, SenderLog log, Random random) {
    return () -> {
      int count = 0;
      for (int i = 0; i < BATCHES; i++) {
        int size = 1 + random.nextInt(10);
        List<Message> batch =
            IntStream.range(0, size)
                .mapToObj(j -> new Message(new byte[Ledger.STAMP_BYTES + random.nextInt(100)]))
                .toList();
        long first = log.stamp(batch, System.nanoTime());
        sender.send(batch);
        log.confirmed(first, size);
        count += size;
      }
      return count;
    };
  }

  private static Callable<Integer> receiver(
      Mq mq, Ledger ledger, Acked acked, Random random, List<Future<Integer>> sending) {
    return () -> {
      ReceiverLog log = ledger.newReceiver();
      Receiver receiver = mq.receiver("q");
      int count = 0;
      int quiet = 0;
      while (quiet < 3) {
        boolean allSent = sending.stream().allMatch(Future::isDone);
        List<Delivery> batch =
            acked.receive(
                receiver, log, 1 + random.nextInt(50), Duration.ofMillis(random.nextInt(60)));
        count += batch.size();
        // Unacked claims end within 50 ms, so three long looks at nothing are the end.
        quiet = allSent && batch.isEmpty() ? quiet + 1 : 0;
        if (quiet > 0) {
          List<Delivery> last = acked.receive(receiver, log, 50, Duration.ofMillis(60));
          acked.ack(receiver, log, last);
          quiet = last.isEmpty() ? quiet : 0;
        }
        switch (random.nextInt(10)) {
          case 0 -> {
            log.gaveBack();
            receiver.close();
            log = ledger.newReceiver();
            receiver = mq.receiver("q");
          }
          case 1 -> {} // forgotten: the claims expire
          default -> acked.ack(receiver, log, batch);
        }
      }
      return count;
    };
  }
}
