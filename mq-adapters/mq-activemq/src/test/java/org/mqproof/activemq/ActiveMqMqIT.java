package org.mqproof.activemq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
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
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** What no rule asks for, and what one would look for in ActiveMQ. */
@Timeout(180)
class ActiveMqMqIT {

  @RegisterExtension static final TestCluster CLUSTER = TestCluster.of("activemq");

  /**
   * Other programs send to the same queue, with a client of their own; and whoever created it may
   * have died between sending its first message and taking it back.
   */
  @Test
  void messagesOfOtherKindsAreDeliveredAndTheFirstOneGoes() throws Exception {
    String queue = "foreign-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = CLUSTER.settings();
    try (Mq mq = MqProvider.named("activemq").connect(settings)) {
      mq.createQueue(queue);
      try (Connection connection = connection(settings);
          Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
          MessageProducer producer = session.createProducer(session.createQueue(queue))) {
        connection.start();
        jakarta.jms.Message first = session.createMessage();
        first.setStringProperty("mqproofFirst", "of one who died");
        producer.send(first);
        producer.send(session.createTextMessage("tea, 茶"));
        producer.send(session.createTextMessage());
        MapMessage map = session.createMapMessage();
        map.setString("order", "tea");
        producer.send(map);
        producer.send(session.createMessage());
      }
      try (Sender sender = mq.sender(queue);
          Receiver receiver = mq.receiver(queue)) {
        sender.send(List.of(new Message(new byte[] {1, 2})));
        List<Delivery> all = new ArrayList<>();
        long start = System.nanoTime();
        while (all.size() < 5 && System.nanoTime() - start < Duration.ofSeconds(20).toNanos()) {
          all.addAll(receiver.receive(5, Duration.ofSeconds(1)));
        }

        assertThat(all)
            .extracting(delivery -> new String(delivery.message().body(), UTF_8))
            .hasSize(5)
            .startsWith("tea, 茶", "")
            .endsWith("", "\u0001\u0002");
        receiver.ack(all).get(20, TimeUnit.SECONDS);
      }
      try (Receiver receiver = mq.receiver(queue)) {
        assertThat(receiver.receive(1, Duration.ofMillis(500))).isEmpty();
      }
    }
  }

  private static Connection connection(Map<String, String> settings) throws JMSException {
    String nodes = requireNonNull(settings.get("addresses")).replace(",", ",tcp://");
    return new ActiveMQConnectionFactory("failover:(tcp://" + nodes + ")")
        .createConnection(settings.get("username"), settings.get("password"));
  }

  private static final Map<String, String> HEADERS =
      Map.of("traceparent", "00-4bf9", "a.b-c_D", "x.y \u00e4\t\n", "NULL", "1");

  /** ActiveMQ's own client cannot read what is beyond U+FFFF. */
  private static final Map<String, String> BEYOND = Map.of("tea", "\uD83C\uDF75");

  @Test
  void headersArePropertiesForOtherClientsAndTheirsAreHeadersHere() throws Exception {
    String queue = "headers-" + Long.toHexString(System.nanoTime());
    Map<String, String> settings = CLUSTER.settings();
    try (Mq mq = MqProvider.named("activemq").connect(settings)) {
      mq.createQueue(queue);
      try (Sender sender = mq.sender(queue)) {
        sender.send(List.of(new Message(new byte[1]), new Message(new byte[2], HEADERS)));
      }
      try (Connection connection = connection(settings);
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
        text.setStringProperty("AMQ_CUSTOM", "1");
        text.setIntProperty("number", 1);
        producer.send(text);
      }
      try (Sender sender = mq.sender(queue);
          Receiver receiver = mq.receiver(queue)) {
        sender.send(List.of(new Message(new byte[2], HEADERS), new Message(new byte[3], BEYOND)));
        assertThat(receive(receiver, 3))
            .extracting(delivery -> delivery.message().headers())
            .containsExactly(Map.of("traceparent", "of another"), HEADERS, BEYOND);
        assertThatExceptionOfType(SendFailedException.class)
            .isThrownBy(
                () ->
                    sender.send(
                        List.of(new Message(new byte[1], Map.of("AMQ_SCHEDULED_DELAY", "1")))))
            .withMessageContaining("the header AMQ_SCHEDULED_DELAY is reserved");
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
