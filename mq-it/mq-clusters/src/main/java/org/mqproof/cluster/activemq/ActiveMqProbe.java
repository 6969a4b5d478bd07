package org.mqproof.cluster.activemq;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;

/** Asks an ActiveMQ node to do real work. Thread-safe: no state. */
final class ActiveMqProbe {

  private static final String QUEUE = "mqproof-ready";
  private static final int CALL_MILLIS = 3_000;

  private ActiveMqProbe() {}

  /**
   * Stores a message on disk and takes it out again, over a new connection to this node alone.
   *
   * @param address host and port
   * @throws JMSException if that fails; each step is bounded by some seconds
   */
  static void sendAndReceive(String address) throws JMSException {
    ActiveMQConnectionFactory factory =
        new ActiveMQConnectionFactory(
            "tcp://%s?connectionTimeout=%d".formatted(address, CALL_MILLIS));
    factory.setConnectResponseTimeout(CALL_MILLIS);
    factory.setSendTimeout(CALL_MILLIS);
    factory.setCloseTimeout(CALL_MILLIS);
    factory.setWatchTopicAdvisories(false);
    try (Connection connection =
            factory.createConnection(ActiveMqNodes.ADMIN, ActiveMqNodes.ADMIN);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      connection.start();
      Queue queue = session.createQueue(QUEUE);
      try (MessageProducer producer = session.createProducer(queue);
          MessageConsumer consumer = session.createConsumer(queue)) {
        producer.setDeliveryMode(DeliveryMode.PERSISTENT);
        producer.send(session.createBytesMessage());
        if (consumer.receive(CALL_MILLIS) == null) {
          throw new JMSException("a message that was confirmed is not delivered by " + address);
        }
      }
    }
  }
}
