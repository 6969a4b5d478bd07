package org.mqproof.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mqproof.Outcome.CONFIRMED;
import static org.mqproof.Outcome.REJECTED;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;
import org.postgresql.ds.PGSimpleDataSource;

/** What no rule asks for, and what one would look for in PostgreSQL. */
class PostgreSqlMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("postgresql");

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Long enough for a busy machine to extend a claim in time. */
  private static final Duration EXTENDED_PERIOD = Duration.ofSeconds(10);

  private static final String QUEUE = "details";
  private static final String GUEST = "guest";

  private static final Map<String, String> HEADERS =
      Map.of("traceparent", "00-4bf9", "a.b-c_D", "x{\"y\\,z}\u00e4\uD83D\uDE00\t\n", "n", "NULL");

  private Mq mq;
  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    mq = MqProvider.named("postgresql").connect(CLUSTER.settings());
    mq.createQueue(QUEUE);
    PostgreSqlSettings settings =
        new PostgreSqlSettings(Settings.of(new PostgreSqlMqProvider(), CLUSTER.settings()));
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(
        "jdbc:postgresql://%s/%s?targetServerType=primary"
            .formatted(
                settings.get(PostgreSqlSettings.ADDRESSES),
                settings.get(PostgreSqlSettings.DATABASE)));
    source.setUser(settings.get(PostgreSqlSettings.USERNAME));
    source.setPassword(settings.get(PostgreSqlSettings.PASSWORD));
    connection = source.getConnection();
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
    mq.deleteQueue(QUEUE);
    mq.close();
  }

  @Test
  void headersAreSeenByNameAndAMessageWithoutHasNone() throws Exception {
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE)) {
      sender.send(List.of(new Message(new byte[1]), new Message(new byte[2], HEADERS)));

      assertThat(
              ask(
                  "SELECT jsonb_object(headers) ->> 'traceparent' FROM %s WHERE length(body) = 2"
                      .formatted(table())))
          .isEqualTo("00-4bf9");
      assertThat(ask("SELECT headers FROM %s WHERE length(body) = 1".formatted(table()))).isNull();
      for (Delivery delivery : receive(receiver, 2)) {
        assertThat(delivery.message().headers())
            .isEqualTo(delivery.message().body().length == 1 ? Map.of() : HEADERS);
      }
    }
  }

  @Test
  void headersOfOthersThatAreNotValidAreLeftOut() throws Exception {
    run(
        "INSERT INTO %s (body, headers) VALUES ('x', '{\"a b\",x,empty,\"\",kept,x,null,NULL,odd}')"
            .formatted(table()));
    try (Receiver receiver = mq.receiver(QUEUE)) {
      assertThat(receive(receiver, 1).get(0).message().headers()).isEqualTo(Map.of("kept", "x"));
    }
  }

  @Test
  void theRightsOnItsTablesAreEnoughToSendAndReceive() throws Exception {
    run("CREATE ROLE %s LOGIN PASSWORD 'g'".formatted(GUEST));
    run("GRANT USAGE ON SCHEMA mqproof TO " + GUEST);
    run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA mqproof TO " + GUEST);
    Map<String, String> guest = new HashMap<>(CLUSTER.settings());
    guest.put("username", GUEST);
    guest.put("password", "g");
    try (Mq other = MqProvider.named("postgresql").connect(guest);
        Sender sender = other.sender(QUEUE);
        Receiver receiver = other.receiver(QUEUE)) {
      sender.send(messages(1));
      receiver.ack(receive(receiver, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(ask("SELECT count(*) FROM " + table())).isEqualTo("0");
    } finally {
      run("DROP OWNED BY " + GUEST);
      run("DROP ROLE " + GUEST);
    }
  }

  @Test
  void aConnectionThatBrokeSinceItsLastUseFailsNoCallThatMayBeMadeTwice() throws Exception {
    for (int i = 0; i < 2; i++) {
      mq.createQueue(QUEUE);
      breakConnections();
      mq.deleteQueue(QUEUE);
      breakConnections();
      mq.createQueue(QUEUE);
      breakConnections();
      mq.sender(QUEUE).close();
    }
  }

  private void breakConnections() throws SQLException {
    run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
  }

  @Test
  void whatIsReleasedGoesToAReceiverThatWaitsAndNothingElseDoes() throws Exception {
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(messages(3));
      List<Delivery> held = receive(receiver, 3);
      assertThat(other.receive(3, Duration.ofMillis(200))).isEmpty();
      receiver.release(held.subList(0, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      List<Delivery> again = other.receive(3, PATIENCE);
      assertThat(again).hasSize(1);
      assertThat(outcomes(receiver.ack(held))).containsExactly(REJECTED, CONFIRMED, CONFIRMED);
      other.ack(again).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(ask("SELECT count(*) FROM " + table())).isEqualTo("0");
    }
  }

  /** A receiver looks where it found the last ones, and so must not for long. */
  @Test
  void whatIsReleasedFarBehindIsFoundBeforeTheBacklogEnds() throws Exception {
    int backlog = 30_000;
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(List.of(new Message(new byte[] {1})));
      for (int sent = 0; sent < backlog; sent += 1_000) {
        sender.send(messages(1_000));
      }
      List<Delivery> held = receive(receiver, 1);
      assertThat(held.get(0).message().body()).hasSize(1);
      int received = 0;
      while (received < backlog / 2) {
        received += receiveAndAck(other, 1_000).size();
      }
      receiver.release(held).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

      boolean again = false;
      while (!again && received < backlog) {
        List<Delivery> batch = receiveAndAck(other, 10);
        received += batch.size();
        again = batch.stream().anyMatch(delivery -> delivery.message().body().length == 1);
      }
      assertThat(received).as("received when it was found").isLessThan(backlog);
    }
  }

  @Test
  void anExtendedClaimOutlivesItsPeriodAndAnotherDoesNot() throws Exception {
    Map<String, String> brief = new HashMap<>(CLUSTER.settings());
    brief.put("claim.period", EXTENDED_PERIOD.toMillis() + "ms");
    try (Mq second = MqProvider.named("postgresql").connect(brief);
        Sender sender = mq.sender(QUEUE);
        Receiver receiver = second.receiver(QUEUE);
        Receiver other = mq.receiver(QUEUE)) {
      sender.send(messages(2));
      List<Delivery> held = receive(receiver, 2);
      List<Delivery> expired = new ArrayList<>();
      long end = System.nanoTime() + EXTENDED_PERIOD.toNanos() * 3 / 2;
      while (System.nanoTime() - end < 0) {
        receiver.extend(held.subList(0, 1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        expired.addAll(other.receive(2, EXTENDED_PERIOD.dividedBy(10)));
      }

      assertThat(expired).hasSize(1);
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> receiver.extend(held).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .withMessageContaining("a claim had ended before it was extended");
      assertThat(outcomes(receiver.ack(held))).containsExactly(CONFIRMED, REJECTED);
      other.ack(expired).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private String table() throws SQLException {
    return "mqproof.queue_"
        + ask("SELECT id FROM mqproof.queues WHERE name = '%s'".formatted(QUEUE));
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean unused = statement.execute(sql);
    }
  }

  private String ask(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static List<Outcome> outcomes(CompletableFuture<Void> ack) throws Exception {
    return ack.handle(
            (done, failure) ->
                failure instanceof AckFailedException failed
                    ? failed.outcomes()
                    : List.<Outcome>of())
        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static List<Delivery> receive(Receiver receiver, int count) throws Exception {
    List<Delivery> all = new ArrayList<>();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (all.size() < count && System.nanoTime() - deadline < 0) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    assertThat(all).hasSize(count);
    return all;
  }

  private static List<Delivery> receiveAndAck(Receiver receiver, int most) throws Exception {
    List<Delivery> batch = receiver.receive(most, PATIENCE);
    receiver.ack(batch).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    return batch;
  }

  private static List<Message> messages(int count) {
    return IntStream.range(0, count).mapToObj(i -> new Message(new byte[100])).toList();
  }
}
