package org.mqproof.memory;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/**
 * What the queue itself costs: senders of batches of 1 to 10 messages of 100 bytes, receivers of up
 * to 1,000. Prints messages per second, and CPU nanoseconds per message on each side. Arguments:
 * senders, receivers, seconds, capacity.
 */
@SuppressWarnings("SystemOut") // a main class
final class ThroughputMain {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private ThroughputMain() {}

  public static void main(String[] args) throws Exception {
    int senders = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    int receivers = args.length > 1 ? Integer.parseInt(args[1]) : 1;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    int capacity = args.length > 3 ? Integer.parseInt(args[3]) : 100_000;
    MemoryBroker broker =
        MemoryBroker.builder().capacity(capacity).callBound(Duration.ofMinutes(1)).build();
    try (Mq mq = broker.connect()) {
      mq.createQueue("q");
      for (int round = 0; round < 4; round++) {
        run(mq, senders, receivers, Duration.ofSeconds(seconds));
      }
    }
  }

  private static void run(Mq mq, int senders, int receivers, Duration time) throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    long start = System.nanoTime();
    long end = start + time.toNanos();
    List<Future<long[]>> sent = new ArrayList<>();
    List<Future<long[]>> received = new ArrayList<>();
    for (int i = 0; i < senders; i++) {
      sent.add(threads.submit(sending(mq.sender("q"), end)));
    }
    for (int i = 0; i < receivers; i++) {
      received.add(threads.submit(receiving(mq.receiver("q"), end)));
    }
    long[] in = sum(sent);
    long[] out = sum(received);
    double elapsedSeconds = (System.nanoTime() - start) / 1e9;
    threads.shutdown();
    System.out.printf(
        "%d senders, %d receivers: %.2f M msgs/s; CPU per message: send %d ns, receive + ack %d ns;"
            + " %.1f messages per receive%n",
        senders,
        receivers,
        out[0] / elapsedSeconds / 1e6,
        in[1] / in[0],
        out[1] / out[0],
        (double) out[0] / out[2]);
  }

  private static Callable<long[]> sending(Sender sender, long end) {
    return () -> {
      SplittableRandom random = new SplittableRandom(1);
      long count = 0;
      while (System.nanoTime() < end) {
        int size = 1 + random.nextInt(10);
        List<Message> batch = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          batch.add(new Message(new byte[100]));
        }
        sender.send(batch);
        count += size;
      }
      return new long[] {count, THREADS.getCurrentThreadCpuTime(), 0};
    };
  }

  private static Callable<long[]> receiving(Receiver receiver, long end) {
    return () -> {
      long count = 0;
      long calls = 0;
      while (true) {
        List<Delivery> batch = receiver.receive(1_000, Duration.ofMillis(100));
        if (batch.isEmpty() && System.nanoTime() > end) {
          return new long[] {count, THREADS.getCurrentThreadCpuTime(), Math.max(1, calls)};
        }
        receiver.ack(batch).join();
        count += batch.size();
        calls++;
      }
    };
  }

  private static long[] sum(List<Future<long[]>> parts) throws Exception {
    long[] sum = new long[3];
    for (Future<long[]> part : parts) {
      long[] values = part.get();
      for (int i = 0; i < sum.length; i++) {
        sum[i] += values[i];
      }
    }
    return sum;
  }
}
