package org.mqproof.activemq;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.comparison.Load;
import org.mqproof.spi.MqProvider;

/**
 * How fast one receiver is when the broker is far away: prefetch against delay, on one pair with a
 * shared store. Run by hand; {@code docs/comparisons.md} has the command and what it printed.
 */
final class RoundTripMain {

  private static final int[] PREFETCHES = {1, 100, 1_000};
  private static final int[] DELAY_MILLIS = {0, 1, 10};
  private static final int BYTES = 1_000;

  /** More than the fastest cell takes before its time is over, or enough to measure it. */
  private static final int MESSAGES = 100_000;

  private static final int MESSAGES_ONE_BY_ONE = 30_000;

  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MEASURED_NANOS = TimeUnit.SECONDS.toNanos(4);

  private RoundTripMain() {}

  /** Prints the table; takes no arguments. */
  public static void main(String[] args) throws Exception {
    try (Cluster cluster = ClusterProvider.named("activemq").start(Tuning.DEFAULT)) {
      Map<String, String> settings = cluster.settings();
      String[] addresses =
          Objects.requireNonNull(settings.get("addresses"), "addresses").split(",", -1);
      String active = addresses[cluster.leader("any") - 1];
      System.out.println("msgs/s, delay each way in ms: " + Arrays.toString(DELAY_MILLIS));
      for (int prefetch : PREFETCHES) {
        StringBuilder row = new StringBuilder("prefetch " + prefetch);
        for (int delay : DELAY_MILLIS) {
          try (DelayingForwarder way = new DelayingForwarder(active, Duration.ofMillis(delay))) {
            row.append(
                String.format(
                    Locale.ROOT, " | %,.0f", rate(settings, active, way.address(), prefetch)));
          }
        }
        System.out.println(row);
      }
    }
  }

  private static double rate(Map<String, String> cluster, String near, String far, int prefetch)
      throws Exception {
    Map<String, String> settings = new HashMap<>(cluster);
    settings.put("prefetch", Integer.toString(prefetch));
    settings.put("addresses", near);
    int messages = prefetch == 1 ? MESSAGES_ONE_BY_ONE : MESSAGES;
    try (Mq filling = MqProvider.named("activemq").connect(settings)) {
      String queue = "far-" + Long.toHexString(System.nanoTime());
      filling.createQueue(queue);
      try (Sender sender = filling.sender(queue)) {
        List<Message> batch = Load.messages(1_000, BYTES);
        for (int sent = 0; sent < messages; sent += batch.size()) {
          sender.send(batch);
        }
      }
      settings.put("addresses", far);
      try (Mq mq = MqProvider.named("activemq").connect(settings);
          Receiver receiver = mq.receiver(queue)) {
        return rate(receiver, messages);
      } finally {
        filling.deleteQueue(queue);
      }
    }
  }

  /** Until the time is over or the queue is empty. */
  private static double rate(Receiver receiver, int messages) throws Exception {
    long start = System.nanoTime();
    long from = start;
    int total = 0;
    int counted = 0;
    long now = start;
    while (now - start < WARM_UP_NANOS + MEASURED_NANOS && total < messages) {
      List<Delivery> batch = receiver.receive(100, Duration.ofSeconds(30));
      var unused = receiver.ack(batch);
      now = System.nanoTime();
      total += batch.size();
      if (now - start < WARM_UP_NANOS && total < messages / 3) {
        from = now;
      } else {
        counted += batch.size();
      }
    }
    return counted * 1e9 / (now - from);
  }
}
