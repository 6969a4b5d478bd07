package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.List;
import java.util.Map;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.command.ActiveMQQueue;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.activemq.ActiveMqClusterProvider;

/** A real ActiveMQ pair with a shared store. */
class ActiveMqClusterIT extends PairClusterTests {

  private static final String USER = "mqproof";
  private static final String ADMIN = "mqproof-admin";

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
    return factory(addresses).createConnection(ADMIN, ADMIN);
  }

  private static ActiveMQConnectionFactory factory(List<String> addresses) {
    return new ActiveMQConnectionFactory(
        "failover:(tcp://%s,tcp://%s)?timeout=60000".formatted(addresses.get(0), addresses.get(1)));
  }

  /**
   * The store knows a queue from its first message on, so the administrator's first message is what
   * makes it durable.
   */
  @Test
  void onlyTheAdministratorCreatesQueuesAndTheyOutliveTheActiveNode() throws Exception {
    for (int round = 1; round <= 3; round++) {
      ActiveMQQueue queue = new ActiveMQQueue("created-" + round);
      assertThatThrownBy(() -> sendAsUser(queue))
          .isInstanceOf(JMSException.class)
          .hasMessageContaining("not authorized");
      try (Connection connection = connect(addresses());
          Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
          MessageConsumer consumer = session.createConsumer(queue);
          MessageProducer producer = session.createProducer(queue)) {
        connection.start();
        producer.send(session.createBytesMessage());
        assertThat(consumer.receive(10_000)).isNotNull();
      }

      cluster().kill(cluster().leader(QUEUE));
      sendAsUser(queue);

      cluster().heal();
    }
  }

  private void sendAsUser(Queue queue) throws JMSException {
    try (Connection connection = factory(addresses()).createConnection(USER, USER);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(queue)) {
      producer.send(session.createBytesMessage());
    }
  }

  @Override
  void startVersion(String version) {
    TestCluster.start(
            TestCluster.runnable("activemq"),
            Map.of(ActiveMqClusterProvider.VERSION_PROPERTY, version))
        .close();
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
