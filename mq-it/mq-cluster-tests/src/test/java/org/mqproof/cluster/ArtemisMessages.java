package org.mqproof.cluster;

import java.util.List;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;

/** Sends and receives through whichever node of an Artemis pair is active. For one thread. */
final class ArtemisMessages {

  private long received;

  /** What is done with a session. */
  interface Work {
    void with(ClientSession session) throws Exception;
  }

  /** Sends so many durable messages, each on its own and confirmed. */
  static void send(List<String> addresses, String queue, int count) throws Exception {
    withSession(
        addresses,
        session -> {
          if (!session.queueQuery(SimpleString.of(queue)).isExists()) {
            if (!session.addressQuery(SimpleString.of(queue)).isExists()) {
              session.createAddress(SimpleString.of(queue), RoutingType.ANYCAST, false);
            }
            session.createQueue(QueueConfiguration.of(queue).setRoutingType(RoutingType.ANYCAST));
          }
          try (ClientProducer producer = session.createProducer(queue)) {
            for (int i = 0; i < count; i++) {
              producer.send(session.createMessage(true));
            }
          }
        });
  }

  /** Takes every message out of the queue, if there is one; returns how many that were so far. */
  long receive(List<String> addresses, String queue) throws Exception {
    withSession(
        addresses,
        session -> {
          if (session.queueQuery(SimpleString.of(queue)).isExists()) {
            session.start();
            try (ClientConsumer consumer = session.createConsumer(queue)) {
              ClientMessage message = consumer.receive(500);
              while (message != null) {
                message.acknowledge();
                received++;
                message = consumer.receive(500);
              }
            }
          }
        });
    return received;
  }

  static void withSession(List<String> addresses, Work work) throws Exception {
    String url = "(tcp://%s,tcp://%s)?ha=true".formatted(addresses.get(0), addresses.get(1));
    try (ServerLocator locator =
            ActiveMQClient.createServerLocator(url)
                .setInitialConnectAttempts(300)
                .setRetryInterval(200)
                .setUseTopologyForLoadBalancing(false);
        ClientSessionFactory factory = locator.createSessionFactory();
        ClientSession session = factory.createSession(true, true, 0)) {
      work.with(session);
    }
  }
}
