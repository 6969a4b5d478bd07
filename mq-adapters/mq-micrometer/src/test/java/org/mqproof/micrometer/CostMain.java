package org.mqproof.micrometer;

import com.sun.management.ThreadMXBean;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.memory.MemoryBroker;

/**
 * What the meters cost: one thread sends, receives and acks bodies of 100 bytes through {@code
 * mq-memory}, without meters and with them in turn. Prints CPU nanoseconds and allocated bytes per
 * message. Arguments: messages of a batch, rounds.
 */
@SuppressWarnings("SystemOut") // a main class
final class CostMain {

  private static final int MESSAGES = 1_000_000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private CostMain() {}

  public static void main(String[] args) throws Exception {
    int batch = args.length > 0 ? Integer.parseInt(args[0]) : 10;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 6;
    MemoryBroker broker = new MemoryBroker();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Mq plain = broker.connect();
        Mq metered = MqMetrics.monitor(registry, broker.connect(), "memory")) {
      plain.createQueue("q");
      for (int round = 0; round < rounds; round++) {
        run("plain  ", plain, batch);
        run("metered", metered, batch);
      }
    }
  }

  private static void run(String name, Mq mq, int size) throws Exception {
    long thread = Thread.currentThread().getId();
    try (Sender sender = mq.sender("q");
        Receiver receiver = mq.receiver("q")) {
      long bytes = THREADS.getThreadAllocatedBytes(thread);
      long nanos = THREADS.getCurrentThreadCpuTime();
      for (int sent = 0; sent < MESSAGES; sent += size) {
        List<Message> batch = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
          batch.add(new Message(new byte[100]));
        }
        sender.send(batch);
        List<Delivery> got = receiver.receive(size, Duration.ZERO);
        receiver.ack(got).join();
      }
      System.out.printf(
          "%s batches of %d: %d ns, %d bytes per message%n",
          name,
          size,
          (THREADS.getCurrentThreadCpuTime() - nanos) / MESSAGES,
          (THREADS.getThreadAllocatedBytes(thread) - bytes) / MESSAGES);
    }
  }
}
