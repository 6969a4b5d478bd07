package org.mqproof.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** What other programs see of a queue here, and what they leave in one. */
class RabbitMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("rabbitmq");

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String QUEUE = "rabbit.it";

  private Mq mq;
  private Connection plain;

  @BeforeEach
  void connect() throws Exception {
    mq = connect(Map.of());
    mq.createQueue(QUEUE);
    Map<String, String> settings = CLUSTER.settings();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername(requireNonNull(settings.get("username")));
    factory.setPassword(requireNonNull(settings.get("password")));
    plain =
        factory.newConnection(
            List.of(Address.parseAddresses(requireNonNull(settings.get("addresses")))));
  }

  private static Mq connect(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(CLUSTER.settings());
    settings.putAll(more);
    return MqProvider.named("rabbitmq").connect(settings);
  }

  @AfterEach
  void close() throws Exception {
    mq.deleteQueue(QUEUE);
    mq.close();
    plain.close();
  }

  private static Message message(String body) {
    return new Message(body.getBytes(UTF_8));
  }

  private static String body(Delivery delivery) {
    return new String(delivery.message().body(), UTF_8);
  }

  private static Delivery one(Receiver receiver) throws InterruptedException {
    List<Delivery> received = receiver.receive(1, PATIENCE);
    assertThat(received).hasSize(1);
    return received.get(0);
  }

  private static void get(CompletableFuture<Void> future) throws Exception {
    Void unused = future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void headersAreHeadersToOtherPrograms() throws Exception {
    Map<String, String> headers = Map.of("traceparent", "00-ab-01", "greeting", "gr\u00fc\u00df");
    try (Sender sender = mq.sender(QUEUE);
        Channel channel = plain.createChannel()) {
      sender.send(List.of(new Message("a".getBytes(UTF_8), headers), message("b")));
      GetResponse first = channel.basicGet(QUEUE, true);
      assertThat(first.getProps().getHeaders().get("traceparent")).hasToString("00-ab-01");
      assertThat(first.getProps().getHeaders().get("greeting")).hasToString("gr\u00fc\u00df");
      // As version 0.1.0 wrote it.
      AMQP.BasicProperties second = channel.basicGet(QUEUE, true).getProps();
      assertThat(second.getHeaders()).as("the broker's own").containsOnlyKeys("x-delivery-count");
      assertThat(second.getContentType()).isNull();
      assertThat(second.getDeliveryMode()).isEqualTo(2);
    }
  }

  /**
   * Made by others: with all that this adapter does not ask for, and nothing that loses messages.
   */
  @Test
  void argumentsThatLoseNothingAreTaken() throws Exception {
    passOneThrough(
        Map.of(
            "x-queue-type", "classic",
            "x-queue-mode", "lazy",
            "x-max-priority", 5,
            "x-single-active-consumer", true,
            "x-dead-letter-exchange", "amq.fanout"),
        Map.of("queue.type", "classic"));
  }

  /** ALO-26 shows that they are refused. */
  @Test
  void argumentsThatLoseMessagesAreTakenOnRequest() throws Exception {
    passOneThrough(
        Map.of("x-queue-type", "quorum", "x-max-length", 10), Map.of("check.queue", "false"));
  }

  private void passOneThrough(Map<String, Object> arguments, Map<String, String> settings)
      throws Exception {
    String queue = "of.others-" + Long.toHexString(System.nanoTime());
    try (Channel channel = plain.createChannel()) {
      AMQP.Queue.DeclareOk made = channel.queueDeclare(queue, true, false, false, arguments);
      assertThat(made.getQueue()).isEqualTo(queue);
    }
    try (Mq taking = connect(settings)) {
      taking.createQueue(queue);
      try (Sender sender = taking.sender(queue);
          Receiver receiver = taking.receiver(queue)) {
        sender.send(List.of(message("a")));
        get(receiver.ack(List.of(one(receiver))));
      }
      taking.deleteQueue(queue);
    }
  }

  @Test
  void headersOfOtherProgramsArrive() throws Exception {
    Map<String, Object> headers = new HashMap<>();
    headers.put("traceparent", "00-ab-01");
    headers.put("number", 7);
    try (Channel channel = plain.createChannel();
        Receiver receiver = mq.receiver(QUEUE)) {
      channel.basicPublish(
          "",
          QUEUE,
          new AMQP.BasicProperties.Builder().contentType("text/plain").headers(headers).build(),
          "a".getBytes(UTF_8));
      channel.basicPublish("", QUEUE, null, "b".getBytes(UTF_8));
      Delivery first = one(receiver);
      assertThat(first.message().headers()).containsExactly(Map.entry("traceparent", "00-ab-01"));
      Delivery second = one(receiver);
      assertThat(second.message().headers()).isEmpty();
      get(receiver.ack(List.of(first, second)));
    }
  }

  @Test
  void aReservedHeaderIsRejectedAndHarmsNoOther() throws Exception {
    try (Sender sender = mq.sender(QUEUE);
        Receiver receiver = mq.receiver(QUEUE)) {
      Message reserved = new Message(new byte[] {1}, Map.of("CC", "other"));
      SendFailedException failure =
          catchThrowableOfType(
              SendFailedException.class, () -> sender.send(List.of(reserved, message("b"))));
      assertThat(failure.outcomes()).containsExactly(Outcome.REJECTED, Outcome.CONFIRMED);
      assertThat(failure).hasMessageContaining("the header CC is reserved");
      Delivery delivery = one(receiver);
      assertThat(body(delivery)).isEqualTo("b");
      get(receiver.ack(List.of(delivery)));
    }
  }

  @Test
  void whatIsReleasedComesAgainHereAndAfterItElsewhere() throws Exception {
    try (Sender sender = mq.sender(QUEUE)) {
      sender.send(List.of(message("a"), message("b"), message("c")));
    }
    List<Delivery> held;
    try (Receiver holder = mq.receiver(QUEUE)) {
      held = List.of(one(holder), one(holder), one(holder));
      assertThat(held.get(0).attempt()).hasValue(1);
      get(holder.extend(held));
      get(holder.release(held.subList(0, 2)));
      Delivery again = one(holder);
      assertThat(body(again)).isEqualTo("a");
      assertThat(again.attempt()).hasValue(2);
      get(holder.ack(List.of(again)));
      ExecutionException failure =
          catchThrowableOfType(ExecutionException.class, () -> get(holder.ack(held)));
      assertThat(((AckFailedException) requireNonNull(failure.getCause())).outcomes())
          .containsExactly(Outcome.REJECTED, Outcome.REJECTED, Outcome.CONFIRMED);
    }
    try (Receiver other = mq.receiver(QUEUE)) {
      Delivery rest = one(other);
      assertThat(body(rest)).isEqualTo("b");
      get(other.ack(List.of(rest)));
      assertThat(other.receive(1, Duration.ofMillis(500))).isEmpty();
    }
  }

  @Test
  void aReceiverOfADeletedQueueSaysSo() throws Exception {
    try (Receiver receiver = mq.receiver(QUEUE)) {
      mq.deleteQueue(QUEUE);
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> receiver.receive(1, PATIENCE))
          .withMessageContaining("the broker ended it: NOT_FOUND - no queue '" + QUEUE + "'");
    }
  }

  /** As when the broker's word of it was lost: it sends none to a client without capabilities. */
  @Test
  void aReceiverThatIsToldNothingFindsThatTheQueueIsDeleted() throws Exception {
    try (Mq deaf = connect(Map.of("client.client.properties.capabilities", "none"));
        Receiver receiver = deaf.receiver(QUEUE)) {
      mq.deleteQueue(QUEUE);
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> receiver.receive(1, PATIENCE))
          .withMessageContaining("the broker ended it: NOT_FOUND - no queue '" + QUEUE + "'");
    }
  }

  /** The queue is there and does not know it. */
  @Test
  void aReceiverThatIsToldNothingFindsThatTheQueueIsAnother() throws Exception {
    try (Mq deaf = connect(Map.of("client.client.properties.capabilities", "none"));
        Receiver receiver = deaf.receiver(QUEUE)) {
      mq.deleteQueue(QUEUE);
      Thread.sleep(1_000);
      requireFailsOrBelongsToTheNewOne(receiver);
    }
  }

  /** Where the broker's word is lost on a busy machine, it finds out within 10 s. */
  @Test
  void aReceiverIsToldBeforeItsQueueCanBeMadeAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      try (Receiver receiver = mq.receiver(QUEUE)) {
        mq.deleteQueue(QUEUE);
        requireFailsOrBelongsToTheNewOne(receiver);
      }
    }
  }

  /** Where the broker tells it nothing, it may be a consumer of the new queue that is served. */
  private void requireFailsOrBelongsToTheNewOne(Receiver receiver) throws Exception {
    mq.createQueue(QUEUE);
    try (Sender sender = mq.sender(QUEUE)) {
      sender.send(List.of(message("a")));
    }
    try {
      assertThat(receiver.receive(1, PATIENCE)).hasSize(1);
    } catch (MqException e) {
      assertThat(e).hasMessageContaining("it was deleted and made again");
    }
  }

  /** As after a consumer_timeout of RabbitMQ 4.3, which cancels as well. */
  @Test
  void aCancelledReceiverOfAQueueThatIsThereDoesNotSayThatItIsGone() throws Exception {
    try (RabbitReceiver receiver = (RabbitReceiver) mq.receiver(QUEUE)) {
      receiver.cancelledByBroker();
      assertThatExceptionOfType(MqException.class)
          .isThrownBy(() -> receiver.receive(1, PATIENCE))
          .withMessageContaining("the broker ended it and the queue is there");
    }
  }

  @Test
  void sendersShareAsManyConnectionsAsAreAskedFor() throws Exception {
    try (Mq three = connect(Map.of("sending.connections", "3"));
        Sender first = three.sender(QUEUE);
        Sender second = three.sender(QUEUE);
        Receiver receiver = three.receiver(QUEUE)) {
      first.send(List.of(message("a")));
      second.send(List.of(message("b")));
      List<Delivery> both = List.of(one(receiver), one(receiver));
      assertThat(both).extracting(RabbitMqIT::body).containsExactlyInAnyOrder("a", "b");
      get(receiver.ack(both));
    }
  }
}
