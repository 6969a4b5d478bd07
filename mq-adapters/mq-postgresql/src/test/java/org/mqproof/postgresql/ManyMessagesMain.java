package org.mqproof.postgresql;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/**
 * Moves ten million messages through one queue, and prints what the first ten thousand, each
 * million and the last ten thousand were like: rate, p99 from {@code send} to {@code receive}, size
 * of table and index. Run by hand.
 *
 * <p>One thread sends batches of 500 messages of 100 bytes and receives and acks as many, with at
 * most 4,000 messages on their way.
 */
final class ManyMessagesMain {

  private static final String QUEUE = "many";
  private static final int BATCH = 500;
  private static final int ON_THEIR_WAY = 4_000;
  private static final int BODY_BYTES = 100;
  private static final int FEW = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Mq mq;
  private final Connection connection;

  private ManyMessagesMain(Mq mq, Connection connection) {
    this.mq = mq;
    this.connection = connection;
  }

  /**
   * Runs it.
   *
   * @param args how many messages, ten million if not told; then SQL to run on the queue's table,
   *     {@code %s}, before the first of them
   */
  public static void main(String[] args) throws Exception {
    int messages = args.length > 0 ? Integer.parseInt(args[0]) : 10_000_000;
    try (Cluster cluster = ClusterProvider.named("postgresql").start(Tuning.DEFAULT)) {
      Map<String, String> settings = cluster.settings();
      try (Mq mq = MqProvider.named("postgresql").connect(settings);
          Connection connection =
              new Primary(new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), settings)))
                  .getConnection()) {
        ManyMessagesMain main = new ManyMessagesMain(mq, connection);
        mq.createQueue("warm-up");
        main.move("warm-up", FEW * 10);
        mq.createQueue(QUEUE);
        if (args.length > 1) {
          try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute(args[1].formatted(main.table()));
          }
        }
        main.run(messages);
      }
    }
  }

  private void run(int messages) throws Exception {
    System.out.println("| Messages | msgs/s | p99 ms | Table MiB | Indexes MiB | Dead rows |");
    print("the first " + FEW, move(QUEUE, FEW));
    int step = Math.max(FEW, messages / 10);
    for (int done = FEW; done < messages; done += step) {
      int count = Math.min(step, messages - done);
      print("to " + (done + count), move(QUEUE, count));
    }
    print(FEW + " more", move(QUEUE, FEW));
  }

  private record Moved(double perSecond, double p99Millis) {}

  private Moved move(String queue, int messages) throws Exception {
    long[] nanos = new long[messages];
    int sent = 0;
    int received = 0;
    long start = System.nanoTime();
    Deque<CompletableFuture<Void>> unconfirmed = new ArrayDeque<>();
    List<CompletableFuture<Void>> acks = new ArrayList<>();
    try (Sender sender = mq.sender(queue);
        Receiver receiver = mq.receiver(queue)) {
      while (received < messages) {
        while (sent < messages && sent - received < ON_THEIR_WAY) {
          int count = Math.min(BATCH, messages - sent);
          unconfirmed.add(sender.sendAsync(batch(count)));
          sent += count;
        }
        List<Delivery> deliveries = receiver.receive(BATCH, PATIENCE);
        long now = System.nanoTime();
        if (deliveries.isEmpty()) {
          throw new IllegalStateException("%d of %d came".formatted(received, messages));
        }
        for (Delivery delivery : deliveries) {
          nanos[received++] = now - ByteBuffer.wrap(delivery.message().body()).getLong();
        }
        acks.add(receiver.ack(deliveries));
        while (!unconfirmed.isEmpty() && unconfirmed.element().isDone()) {
          unconfirmed.remove().join();
        }
        acks.removeIf(ack -> ack.isDone() && ack.join() == null);
      }
      CompletableFuture.allOf(unconfirmed.toArray(CompletableFuture[]::new)).join();
      CompletableFuture.allOf(acks.toArray(CompletableFuture[]::new)).join();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    Arrays.sort(nanos);
    return new Moved(messages / seconds, nanos[(int) (messages * 0.99)] / 1e6);
  }

  private static List<Message> batch(int count) {
    List<Message> batch = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] body = new byte[BODY_BYTES];
      ByteBuffer.wrap(body).putLong(System.nanoTime());
      batch.add(new Message(body));
    }
    return batch;
  }

  private void print(String which, Moved moved) throws SQLException {
    String table = table();
    System.out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %.0f | %s | %s | %s |%n",
        which,
        moved.perSecond(),
        moved.p99Millis(),
        ask("SELECT round(pg_table_size('%s') / 1048576.0, 1)".formatted(table)),
        ask("SELECT round(pg_indexes_size('%s') / 1048576.0, 1)".formatted(table)),
        ask(
            "SELECT n_dead_tup || ', vacuumed ' || autovacuum_count FROM pg_stat_user_tables"
                + " WHERE relid = '%s'::regclass".formatted(table)));
  }

  private String table() throws SQLException {
    return "mqproof.queue_" + ask("SELECT id FROM mqproof.queues WHERE name = '" + QUEUE + "'");
  }

  private String ask(String question) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(question)) {
      if (!row.next()) {
        throw new SQLException("no answer to " + question);
      }
      return row.getString(1);
    }
  }
}
