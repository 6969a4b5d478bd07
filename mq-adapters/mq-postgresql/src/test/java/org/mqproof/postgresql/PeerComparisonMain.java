package org.mqproof.postgresql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/**
 * This adapter beside the loop over JDBC that people write by hand, on one cluster, in pairs: two
 * threads that send and two that receive, four connections, what is received counts. {@code
 * docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int THREADS = 2;
  private static final int BODY_BYTES = 100;
  private static final int ON_THEIR_WAY = 4_000;
  private static final int MOST_ACKS = 4;
  private static final Duration WAIT = Duration.ofMillis(100);
  private static final String LOOP = "a loop over JDBC: DELETE ... FOR UPDATE SKIP LOCKED";

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    List<Workload> workloads = new ArrayList<>();
    for (int batch : new int[] {1, 10, 100, 500}) {
      workloads.add(
          Workload.of(
              "batches-" + batch,
              settings -> throughMq(settings, batch),
              LOOP,
              settings -> byHand(settings, batch)));
    }
    int status = new Comparison(PeerComparisonMain.class, "postgresql", workloads).run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  private static Rate throughMq(Map<String, String> given, int size) throws Exception {
    Map<String, String> settings = new HashMap<>(given);
    settings.put("connections", Integer.toString(2 * THREADS));
    String queue = "q" + System.nanoTime();
    Semaphore room = new Semaphore(ON_THEIR_WAY);
    List<Message> messages = Load.messages(size, BODY_BYTES);
    try (Mq mq = MqProvider.named("postgresql").connect(settings)) {
      mq.createQueue(queue);
      try {
        List<Load.Worker> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          workers.add(
              () -> {
                Sender sender = mq.sender(queue);
                return () -> {
                  if (room.tryAcquire(size, WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    sender.send(messages);
                  }
                  return 0;
                };
              });
          workers.add(
              () -> {
                Receiver receiver = mq.receiver(queue);
                Deque<CompletableFuture<Void>> acks = new ArrayDeque<>();
                return () -> {
                  List<Delivery> deliveries = receiver.receive(size, WAIT);
                  acks.add(receiver.ack(deliveries));
                  if (acks.size() > MOST_ACKS) {
                    acks.remove().get();
                  }
                  room.release(deliveries.size());
                  return deliveries.size();
                };
              });
        }
        return Load.of(workers);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /**
   * A message is hidden while the transaction that deletes it is open, and so acked by a commit.
   */
  private static Rate byHand(Map<String, String> settings, int size) throws Exception {
    String table = "t" + System.nanoTime();
    Semaphore room = new Semaphore(ON_THEIR_WAY);
    byte[] body = Load.messages(1, BODY_BYTES).get(0).body();
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < 2 * THREADS; i++) {
        connections.add(open(settings));
      }
      try (Statement statement = connections.get(0).createStatement()) {
        boolean unused =
            statement.execute(
                "CREATE TABLE %s (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, body bytea)"
                    .formatted(table));
      }
      List<Load.Worker> workers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Connection sending = connections.get(2 * i);
        Connection receiving = connections.get(2 * i + 1);
        workers.add(() -> () -> insert(sending, table, body, size, room));
        workers.add(() -> () -> delete(receiving, table, size, room));
      }
      return Load.of(workers);
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
      try (Connection connection = open(settings);
          Statement statement = connection.createStatement()) {
        boolean unused = statement.execute("DROP TABLE " + table);
      }
    }
  }

  private static Connection open(Map<String, String> given) throws SQLException {
    Map<String, String> settings = new HashMap<>(given);
    settings.put("client.reWriteBatchedInserts", "true");
    return new Primary(
            new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), Map.copyOf(settings))))
        .getConnection();
  }

  private static int insert(
      Connection connection, String table, byte[] body, int size, Semaphore room)
      throws SQLException, InterruptedException {
    if (!room.tryAcquire(size, WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
      return 0;
    }
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO %s (body) VALUES (?)".formatted(table))) {
      for (int i = 0; i < size; i++) {
        statement.setBytes(1, body);
        statement.addBatch();
      }
      int[] unused = statement.executeBatch();
    }
    connection.commit();
    return 0;
  }

  private static int delete(Connection connection, String table, int size, Semaphore room)
      throws SQLException, InterruptedException {
    connection.setAutoCommit(false);
    int count = 0;
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM %1$s WHERE id IN (SELECT id FROM %1$s ORDER BY id LIMIT ?".formatted(table)
                + " FOR UPDATE SKIP LOCKED) RETURNING body")) {
      statement.setInt(1, size);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Message unused = new Message(rows.getBytes(1));
          count++;
        }
      }
    }
    connection.commit();
    room.release(count);
    if (count == 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return count;
  }
}
