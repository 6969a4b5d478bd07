package org.mqproof.cluster;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.List;
import org.apache.activemq.ActiveMQConnectionFactory;

/** A real ActiveMQ pair with a shared store. */
class ActiveMqClusterIT extends PairClusterTests {

  ActiveMqClusterIT() {
    super("activemq", "ActiveMQ");
  }

  @Override
  void send(List<String> addresses, int count) throws JMSException {
    try (Connection connection = connect(addresses);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(session.createQueue(QUEUE))) {
      for (int i = 0; i < count; i++) {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(new byte[100]);
        producer.send(message);
      }
    }
  }

  @Override
  int receiveAll(List<String> addresses) throws JMSException {
    try (Connection connection = connect(addresses);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE))) {
      connection.start();
      int received = 0;
      while (consumer.receive(500) != null) {
        received++;
      }
      return received;
    }
  }

  private static Connection connect(List<String> addresses) throws JMSException {
    return new ActiveMQConnectionFactory(
            "failover:(tcp://%s,tcp://%s)?timeout=60000"
                .formatted(addresses.get(0), addresses.get(1)))
        .createConnection(ActiveMqNodes.ADMIN, ActiveMqNodes.ADMIN);
  }

  @Override
  void startVersion(String version) {
    ActiveMqCluster.start(version, Tuning.FAST, line -> {}).close();
  }

  @Override
  String breakConfiguration(String text) {
    return text.replace("journalDiskSyncStrategy=", "journalDiscSyncStrategy=");
  }

  @Override
  List<String> configurationFileAndError() {
    return List.of("activemq.xml", "journalDiscSyncStrategy");
  }
}
