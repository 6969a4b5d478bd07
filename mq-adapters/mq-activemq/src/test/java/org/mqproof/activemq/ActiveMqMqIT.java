package org.mqproof.activemq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
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
import org.mqproof.Sender;
import org.mqproof.cluster.TestCluster;
import org.mqproof.spi.MqProvider;

/** What no rule asks for, and what one would look for in ActiveMQ. */
@Timeout(60)
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
      try (Connection connection =
              new ActiveMQConnectionFactory("failover:(" + brokers(settings) + ")")
                  .createConnection(settings.get("username"), settings.get("password"));
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

  private static String brokers(Map<String, String> settings) {
    return "tcp://" + requireNonNull(settings.get("addresses")).replace(",", ",tcp://");
  }
}
