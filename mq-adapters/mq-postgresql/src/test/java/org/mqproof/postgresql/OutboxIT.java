package org.mqproof.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/** Messages that are sent within a transaction of the caller. */
class OutboxIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("postgresql");

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration A_MOMENT = Duration.ofMillis(300);
  private static final String QUEUE = "outbox";

  private Mq mq;
  private Receiver receiver;
  private Connection connection;
  private Outbox outbox;

  @BeforeEach
  void connect() throws SQLException {
    mq = MqProvider.named("postgresql").connect(CLUSTER.settings());
    mq.createQueue(QUEUE);
    receiver = mq.receiver(QUEUE);
    connection = open();
    run("CREATE TABLE IF NOT EXISTS public.orders (id text)");
    run("TRUNCATE public.orders");
    connection.setAutoCommit(false);
    outbox = new Outbox(QUEUE, CLUSTER.settings());
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
    receiver.close();
    mq.deleteQueue(QUEUE);
    mq.close();
  }

  private static Connection open() throws SQLException {
    return new Primary(
            new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), CLUSTER.settings())))
        .getConnection();
  }

  @Test
  void aCommitSendsWhatElseItDoes() throws Exception {
    outbox.send(connection, List.of(message("plain")));
    assertThat(connection.getAutoCommit()).isFalse();
    assertThat(receiver.receive(2, A_MOMENT)).isEmpty();

    place(connection, "7", new byte[] {7});

    List<Delivery> deliveries = receive(2);
    assertThat(deliveries)
        .extracting(delivery -> delivery.message().headers())
        .containsExactly(Map.of("id", "7"), Map.of());
    receiver.ack(deliveries).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(count("public.orders")).isEqualTo(1);
  }

  // outbox {
  /** Stores an order and sends it: both, or neither. Both are safe when this returns. */
  void place(Connection connection, String id, byte[] order) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO public.orders VALUES (?)")) {
      insert.setString(1, id);
      insert.execute();
      outbox.send(connection, List.of(new Message(order, Map.of("id", id))));
      connection.commit();
    } catch (SQLException | RuntimeException e) {
      connection.rollback();
      throw e;
    }
  }

  // }

  /** Without a poke from anybody: it looks for itself. */
  @Test
  void aReceiverThatWaitsHasItSoonAfterTheCommit() throws Exception {
    outbox.send(connection, List.of(message("one")));
    CompletableFuture<List<Delivery>> waiting =
        CompletableFuture.supplyAsync(() -> receiveOne(receiver));
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> waiting.get(A_MOMENT.toMillis(), TimeUnit.MILLISECONDS));

    connection.commit();

    assertThat(waiting.get(5, TimeUnit.SECONDS)).hasSize(1);
  }

  private static List<Delivery> receiveOne(Receiver receiver) {
    try {
      return receiver.receive(1, PATIENCE);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aRollbackLeavesNothing() throws Exception {
    run("INSERT INTO public.orders VALUES ('7')");
    outbox.send(connection, List.of(message("one")));
    connection.rollback();

    assertThat(receiver.receive(1, A_MOMENT)).isEmpty();
    assertThat(count("public.orders")).isZero();
    connection.rollback();
    outbox.send(connection, List.of(message("two"))); // the connection is as it was
    connection.commit();
    assertThat(receive(1).get(0).message().body()).asString().isEqualTo("two");
  }

  @Test
  void aConnectionThatBreaksBeforeTheCommitLeavesNothing() throws Exception {
    outbox.send(connection, List.of(message("one")));
    connection.abort(Runnable::run);
    assertThatExceptionOfType(SQLException.class).isThrownBy(connection::commit);

    assertThat(receiver.receive(1, A_MOMENT)).isEmpty();
    try (Connection other = open()) {
      other.setAutoCommit(false);
      outbox.send(other, List.of(message("two")));
      other.commit();
    }
    assertThat(receive(1).get(0).message().body()).asString().isEqualTo("two");
  }

  @Test
  void aServerThatDropsTheConnectionLeavesNothing() throws Exception {
    outbox.send(connection, List.of(message("one")));
    int process = count("(SELECT pg_backend_pid()) AS me", "max(pg_backend_pid)");
    try (Connection other = open();
        Statement statement = other.createStatement()) {
      boolean unused = statement.execute("SELECT pg_terminate_backend(" + process + ", 5000)");
    }
    assertThatExceptionOfType(SQLException.class).isThrownBy(connection::commit);
    assertThat(receiver.receive(1, A_MOMENT)).isEmpty();
  }

  @Test
  void whatCannotBeSentIsRefusedAndTheTransactionIsAsItWas() throws Exception {
    run("INSERT INTO public.orders VALUES ('7')");
    Outbox small =
        new Outbox(QUEUE, Map.of("max.body.bytes", "4", "schema", "mqproof", "password", "any"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> small.send(connection, List.of(message("12345"))))
        .withMessage(
            "cannot send to queue outbox: a message of 5 bytes is too large, the largest is 4");
    small.send(connection, List.of());
    connection.commit();
    assertThat(count("public.orders")).isEqualTo(1);
    assertThat(receiver.receive(1, Duration.ZERO)).isEmpty();
  }

  @Test
  void aConnectionThatCommitsByItselfIsRefused() throws Exception {
    connection.setAutoCommit(true);
    assertThatIllegalStateException()
        .isThrownBy(() -> outbox.send(connection, List.of(message("one"))))
        .withMessage(
            "the connection commits by itself, and so there is no transaction to send within: call"
                + " setAutoCommit(false) first, and commit afterwards");
    assertThat(receiver.receive(1, A_MOMENT)).isEmpty();
  }

  @Test
  void thereIsNoSuchQueue() {
    assertThatExceptionOfType(MqException.class)
        .isThrownBy(() -> new Outbox("nowhere", Map.of()).send(connection, List.of(message("one"))))
        .withMessage("PostgreSQL of the given connection: there is no queue nowhere");
  }

  @Test
  void aQueueThatWasMadeAgainIsFound() throws Exception {
    outbox.send(connection, List.of(message("one")));
    connection.rollback();
    receiver.close();
    mq.deleteQueue(QUEUE);
    mq.createQueue(QUEUE);
    receiver = mq.receiver(QUEUE);
    outbox.send(connection, List.of(message("two")));
    connection.commit();
    assertThat(receive(1).get(0).message().body()).asString().isEqualTo("two");
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private int count(String table) throws SQLException {
    return count(table, "count(*)");
  }

  private int count(String table, String what) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT %s FROM %s".formatted(what, table))) {
      assertThat(rows.next()).isTrue();
      return rows.getInt(1);
    }
  }

  /** Sorted by their bodies. */
  private List<Delivery> receive(int count) throws InterruptedException {
    List<Delivery> all = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (all.size() < count && System.nanoTime() - deadline < 0) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    assertThat(all).hasSize(count);
    all.sort((one, other) -> Arrays.compare(one.message().body(), other.message().body()));
    return all;
  }

  private static Message message(String body) {
    return new Message(body.getBytes(StandardCharsets.UTF_8));
  }
}
