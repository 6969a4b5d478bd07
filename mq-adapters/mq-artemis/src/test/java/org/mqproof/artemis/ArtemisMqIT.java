package org.mqproof.artemis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.jms.Connection;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** What no rule asks for, and what one would look for in Artemis. */
@Timeout(180)
class ArtemisMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("artemis");

  /** Other programs send to the same queue, with a client of their own. */
  @Test
  void messagesOfOtherKindsAreDelivered() throws Exception {
    String queue = "foreign-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = CLUSTER.settings();
    try (Mq mq = MqProvider.named("artemis").connect(settings)) {
      mq.createQueue(queue);
      try (var factory = new ActiveMQConnectionFactory(nodes(settings));
          Connection connection = factory.createConnection();
          Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
          MessageProducer producer = session.createProducer(session.createQueue(queue))) {
        producer.send(session.createTextMessage("tea, 茶"));
        producer.send(session.createTextMessage());
        MapMessage map = session.createMapMessage();
        map.setString("order", "tea");
        producer.send(map);
      }
      try (Sender sender = mq.sender(queue);
          Receiver receiver = mq.receiver(queue)) {
        sender.send(List.of(new Message(new byte[] {1, 2})));
        List<Delivery> all = new ArrayList<>();
        long start = System.nanoTime();
        while (all.size() < 4 && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
          all.addAll(receiver.receive(4, Duration.ofSeconds(1)));
        }

        assertThat(all)
            .extracting(delivery -> new String(delivery.message().body(), UTF_8))
            .hasSize(4)
            .startsWith("tea, 茶", "")
            .endsWith("\u0001\u0002");
        receiver.ack(all).get(20, TimeUnit.SECONDS);
      }
    }
  }

  private static String nodes(Map<String, String> settings) {
    return "(tcp://" + requireNonNull(settings.get("addresses")).replace(",", ",tcp://") + ")";
  }

  /** Configured by others: what a broker out of the box does, and worse. */
  @Test
  void aQueueThatCannotKeepThePromiseIsRefused() throws Exception {
    String queue = "lossy-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = CLUSTER.settings();
    try (ServerLocator locator = ActiveMQClient.createServerLocator(nodes(settings));
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession()) {
      session.start();
      session.createAddress(SimpleString.of(queue), RoutingType.ANYCAST, false);
      session.createQueue(
          QueueConfiguration.of(queue)
              .setRoutingType(RoutingType.ANYCAST)
              .setDurable(false)
              .setAutoDelete(true)
              .setRingSize(10L)
              .setPurgeOnNoConsumers(true));
      manage(
          session,
          "addAddressSettings",
          queue,
          "{\"maxDeliveryAttempts\": 3, \"addressFullMessagePolicy\": \"DROP\","
              + " \"expiryDelay\": 60000, \"maxExpiryDelay\": 70000}");
      try (Mq mq = MqProvider.named("artemis").connect(settings)) {
        List<ThrowingCallable> calls =
            List.of(() -> mq.createQueue(queue), () -> mq.sender(queue), () -> mq.receiver(queue));
        for (ThrowingCallable call : calls) {
          assertThatExceptionOfType(MqException.class)
              .isThrownBy(call)
              .withMessageContaining(
                  "queue "
                      + queue
                      + " cannot keep what the settings promise: durable is false, must be true;"
                      + " purge-on-no-consumers is true, must be false; auto-delete is true, must"
                      + " be false; ring-size is 10, must be -1; max-delivery-attempts is 3, must"
                      + " be -1; address-full-policy is DROP, must be PAGE, FAIL or BLOCK;"
                      + " expiry-delay is 60000, must be -1; max-expiry-delay is 70000, must be -1;"
                      + " change it, or the settings, or set check.queue=false and lose"
                      + " messages");
        }
      }
      Map<String, String> unchecked = new HashMap<>(settings);
      unchecked.put("check.queue", "false");
      try (Mq mq = MqProvider.named("artemis").connect(unchecked)) {
        mq.createQueue(queue);
        Sender unused = mq.sender(queue);
        mq.deleteQueue(queue);
      }
      manage(session, "removeAddressSettings", queue);
    }
  }

  private static void manage(ClientSession session, String operation, Object... parameters)
      throws Exception {
    ClientMessage request = session.createMessage(false);
    ManagementHelper.putOperationInvocation(request, ResourceNames.BROKER, operation, parameters);
    ClientRequestor requestor = new ClientRequestor(session, "activemq.management");
    ClientMessage reply = requestor.request(request, 20_000);
    assertThat(ManagementHelper.hasOperationSucceeded(reply))
        .as("%s: %s", operation, ManagementHelper.getResult(reply))
        .isTrue();
  }

  @Test
  void aReceiverWhoseQueueIsDeletedFailsAndNamesTheQueue() {
    String queue = "deleted-" + Long.toHexString(System.nanoTime());
    try (Mq mq = MqProvider.named("artemis").connect(CLUSTER.settings())) {
      mq.createQueue(queue);
      try (Receiver receiver = mq.receiver(queue)) {
        mq.deleteQueue(queue);
        assertThatExceptionOfType(MqException.class)
            .isThrownBy(() -> receiveUntilItFails(receiver))
            .withMessageContaining(queue)
            .withMessageContaining("was deleted");
      }
    }
  }

  private static void receiveUntilItFails(Receiver receiver) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
      List<Delivery> received = receiver.receive(1, Duration.ofMillis(100));
      assertThat(received).isEmpty();
    }
  }

  private static final Map<String, String> HEADERS =
      Map.of("traceparent", "00-4bf9", "a.b-c_D", "x.y \u00e4\uD83D\uDE00\t\n", "NULL", "1");

  @Test
  void headersArePropertiesForOtherClientsAndTheirsAreHeadersHere() throws Exception {
    String queue = "headers-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = CLUSTER.settings();
    try (Mq mq = MqProvider.named("artemis").connect(settings)) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue)) {
        sender.send(List.of(new Message(new byte[1]), new Message(new byte[2], HEADERS)));
      }
      try (var factory = new ActiveMQConnectionFactory(nodes(settings));
          Connection connection = factory.createConnection();
          Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
          MessageConsumer consumer = session.createConsumer(session.createQueue(queue));
          MessageProducer producer = session.createProducer(session.createQueue(queue))) {
        connection.start();
        assertThat(properties(consumer.receive(20_000))).isEmpty();
        assertThat(properties(consumer.receive(20_000))).isEqualTo(HEADERS);
        jakarta.jms.Message text = session.createTextMessage("x");
        text.setStringProperty("traceparent", "of another");
        text.setStringProperty("JMSXGroupID", "group");
        text.setStringProperty("empty", "");
        text.setStringProperty("_AMQ_GROUP_X", "1");
        text.setIntProperty("number", 1);
        producer.send(text);
      }
      try (Sender sender = mq.sender(queue);
          Receiver receiver = mq.receiver(queue)) {
        sender.send(List.of(new Message(new byte[2], HEADERS)));
        assertThat(receive(receiver, 2))
            .extracting(delivery -> delivery.message().headers())
            .containsExactly(Map.of("traceparent", "of another"), HEADERS);
        assertThatExceptionOfType(SendFailedException.class)
            .isThrownBy(
                () -> sender.send(List.of(new Message(new byte[1], Map.of("_AMQ_DUPL_ID", "1")))))
            .withMessageContaining("the header _AMQ_DUPL_ID is reserved");
      }
    }
  }

  private static Map<String, String> properties(jakarta.jms.Message message) throws Exception {
    Map<String, String> properties = new HashMap<>();
    Enumeration<?> names = message.getPropertyNames();
    while (names.hasMoreElements()) {
      String name = names.nextElement().toString();
      if (!name.startsWith("JMSX")) {
        properties.put(name, message.getStringProperty(name));
      }
    }
    return properties;
  }

  private static List<Delivery> receive(Receiver receiver, int count) throws Exception {
    List<Delivery> all = new ArrayList<>();
    long start = System.nanoTime();
    while (all.size() < count && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
      all.addAll(receiver.receive(count - all.size(), Duration.ofSeconds(1)));
    }
    assertThat(all).hasSize(count);
    return all;
  }
}
