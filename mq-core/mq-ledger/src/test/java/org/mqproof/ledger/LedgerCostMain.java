package org.mqproof.ledger;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.mqproof.Delivery;
import org.mqproof.Message;

/**
 * Prints what the ledger costs per message on this machine, one thread, bodies of 100 bytes: CPU
 * time, also as a share of one core at a million messages a second, and allocation. Batches are 1
 * to 10 messages, uniformly, or 1 to as many as the argument says: what a lock costs is by batch.
 * First what it does not do for its own sake: to bring a body into the processor's cache, the
 * checksum and the clock; then all together. What is left between them is the bookkeeping. Not a
 * benchmark to publish: a quick look after a change.
 */
final class LedgerCostMain {

  private static final int BODY_BYTES = 100;
  private static final int MESSAGES = 600_000;
  private static final int ROUNDS = 8;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long timesSeen;
  private static int largestBatch = 10;

  private LedgerCostMain() {}

  private record Sent(Message message) implements Delivery {}

  /** Runs every case a few times; the last rounds are warm. */
  public static void main(String[] args) {
    if (args.length > 0) {
      largestBatch = Integer.parseInt(args[0]);
    }
    System.out.printf(
        "%-34s %14s %14s %14s%n",
        "case, one sender unless said", "CPU ns/message", "% at 1M/s", "bytes/message");
    for (int round = 1; round <= ROUNDS; round++) {
      List<Delivery> sent = new ArrayList<>();
      Ledger ledger = new Ledger();
      List<List<Message>> batches = batches(sent);
      print(round, "clock, once a batch", () -> readClock(batches));
      print(round, "header and checksum, written", () -> writeStamps(batches));
      print(round, "stamp + confirmed", () -> send(ledger.sender(0), batches));
      List<List<Delivery>> unread = split(sent);
      print(round, "time read", () -> readTimes(unread));
      List<List<Delivery>> unchecked = split(sent);
      print(round, "checksum checked, time read", () -> checkStamps(unchecked));
      List<List<Delivery>> notAcked = split(sent);
      print(round, "delivered, in order", () -> deliver(new Ledger(ledger.run()), notAcked));
      List<List<Delivery>> inOrder = split(sent);
      print(round, "delivered + acked, in order", () -> receive(ledger, inOrder));
      Ledger later = new Ledger(ledger.run());
      print(round, "delivered, given, acked, in order", () -> receiveAndAckLater(later, inOrder));
      for (int parts : new int[] {4, 12, 64}) {
        Ledger other = new Ledger(ledger.run());
        List<List<Delivery>> batched = split(interleave(sent, parts));
        print(round, "delivered + acked, stride " + parts, () -> receive(other, batched));
      }
      List<Delivery> shuffled = new ArrayList<>(sent);
      Collections.shuffle(shuffled, new Random(1));
      List<List<Delivery>> anyOrder = split(shuffled);
      Ledger random = new Ledger(ledger.run());
      print(round, "delivered + acked, shuffled", () -> receive(random, anyOrder));
      List<Delivery> mixed = new ArrayList<>();
      Ledger crowd = new Ledger();
      for (int i = 0; i < MESSAGES; i++) {
        Message message = new Message(new byte[BODY_BYTES]);
        crowd.sender(i % 25).stamp(List.of(message), 0);
        mixed.add(new Sent(message));
      }
      List<List<Delivery>> turns = split(mixed);
      print(round, "delivered + acked, 25 senders", () -> receive(crowd, turns));
    }
  }

  private static void print(int round, String what, Runnable body) {
    long bytes = THREADS.getCurrentThreadAllocatedBytes();
    long start = THREADS.getCurrentThreadCpuTime(); // not wall time: others may be running
    body.run();
    double nanos = THREADS.getCurrentThreadCpuTime() - start;
    bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
    if (round > ROUNDS - 3) {
      System.out.printf(
          Locale.ROOT,
          "%-34s %14.1f %14.2f %14.2f%n",
          what,
          nanos / MESSAGES,
          nanos / MESSAGES / 10, // a million times so many nanoseconds in a second of 1e9
          (double) bytes / MESSAGES);
    }
  }

  private static void readClock(List<List<Message>> batches) {
    for (int i = 0; i < batches.size(); i++) {
      timesSeen += System.nanoTime();
    }
  }

  private static void writeStamps(List<List<Message>> batches) {
    Stamp stamp = new Stamp();
    long sequence = 0;
    for (List<Message> batch : batches) {
      for (int i = 0; i < batch.size(); i++) {
        stamp.write(batch.get(i).body(), 1, 0, sequence++, 1);
      }
    }
  }

  private static void readTimes(List<List<Delivery>> batches) {
    for (List<Delivery> batch : batches) {
      for (int i = 0; i < batch.size(); i++) {
        timesSeen += Stamp.timeNanos(batch.get(i).message().body());
      }
    }
  }

  private static void checkStamps(List<List<Delivery>> batches) {
    Stamp stamp = new Stamp();
    for (List<Delivery> batch : batches) {
      for (int i = 0; i < batch.size(); i++) {
        byte[] body = batch.get(i).message().body();
        timesSeen += stamp.isIntact(body) ? Stamp.timeNanos(body) : 0;
      }
    }
  }

  private static void send(SenderLog log, List<List<Message>> batches) {
    for (List<Message> batch : batches) {
      log.confirmed(log.stamp(batch, 1), batch.size());
    }
  }

  private static void receive(Ledger ledger, List<List<Delivery>> batches) {
    ReceiverLog log = ledger.newReceiver();
    for (List<Delivery> batch : batches) {
      log.delivered(batch, time -> timesSeen += time);
      log.acked(batch); // as for an ack that is completed when its call returns
    }
  }

  private static void deliver(Ledger ledger, List<List<Delivery>> batches) {
    ReceiverLog log = ledger.newReceiver();
    for (List<Delivery> batch : batches) {
      log.delivered(batch, time -> timesSeen += time);
    }
  }

  private static void receiveAndAckLater(Ledger ledger, List<List<Delivery>> batches) {
    ReceiverLog log = ledger.newReceiver();
    for (List<Delivery> batch : batches) {
      log.delivered(batch, time -> timesSeen += time);
      log.givenToAck(batch);
      log.acked(batch);
    }
  }

  private static List<List<Message>> batches(List<Delivery> sent) {
    List<List<Message>> batches = new ArrayList<>();
    Random random = new Random(1);
    for (int left = MESSAGES; left > 0; ) {
      int size = Math.min(left, 1 + random.nextInt(largestBatch));
      List<Message> batch = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        batch.add(new Message(new byte[BODY_BYTES]));
      }
      batch.forEach(message -> sent.add(new Sent(message)));
      batches.add(batch);
      left -= size;
    }
    return batches;
  }

  private static List<List<Delivery>> split(List<Delivery> deliveries) {
    List<List<Delivery>> batches = new ArrayList<>();
    Random random = new Random(2);
    for (int from = 0; from < deliveries.size(); ) {
      int to = Math.min(deliveries.size(), from + 1 + random.nextInt(largestBatch));
      List<Delivery> batch = new ArrayList<>(to - from);
      for (Delivery delivery : deliveries.subList(from, to)) {
        // A copy, as from a socket: bodies lie in memory in the order in which they were received.
        batch.add(new Sent(new Message(delivery.message().body().clone())));
      }
      batches.add(batch);
      from = to;
    }
    return batches;
  }

  /** What a receiver of a partitioned queue gets: a stretch of each partition in turn. */
  private static List<Delivery> interleave(List<Delivery> sent, int parts) {
    List<Delivery> result = new ArrayList<>(sent.size());
    int stretch = 500 * parts;
    for (int from = 0; from < sent.size(); from += stretch) {
      int to = Math.min(sent.size(), from + stretch);
      for (int part = 0; part < parts; part++) {
        for (int i = from + part; i < to; i += parts) {
          result.add(sent.get(i));
        }
      }
    }
    return result;
  }
}
