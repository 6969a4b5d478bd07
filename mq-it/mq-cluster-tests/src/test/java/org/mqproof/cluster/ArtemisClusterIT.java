package org.mqproof.cluster;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.ActiveMQConnectionTimedOutException;
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
import org.mqproof.cluster.artemis.ArtemisClusterProvider;

/** A real Artemis pair that replicates. */
class ArtemisClusterIT extends PairClusterTests {

  ArtemisClusterIT() {
    super("artemis", "Artemis");
  }

  /** What is done with a session. */
  private interface Work {
    int with(ClientSession session) throws Exception;
  }

  @Override
  void send(List<String> addresses, int count) throws Exception {
    withSession(
        addresses,
        session -> {
          try (ClientProducer producer = session.createProducer(QUEUE)) {
            for (int i = 0; i < count; i++) {
              producer.send(session.createMessage(true));
            }
          }
          return count;
        });
  }

  @Override
  int receiveAll(List<String> addresses) throws Exception {
    return withSession(
        addresses,
        session -> {
          session.start();
          try (ClientConsumer consumer = session.createConsumer(QUEUE)) {
            int received = 0;
            ClientMessage message = consumer.receive(500);
            while (message != null) {
              message.acknowledge();
              received++;
              message = consumer.receive(500);
            }
            return received;
          }
        });
  }

  private static int withSession(List<String> addresses, Work work) throws Exception {
    String url = "(tcp://%s,tcp://%s)".formatted(addresses.get(0), addresses.get(1));
    try (ServerLocator locator =
            ActiveMQClient.createServerLocator(url)
                .setCallTimeout(5_000)
                .setInitialConnectAttempts(300)
                .setRetryInterval(200)
                .setUseTopologyForLoadBalancing(false);
        ClientSessionFactory factory = connect(locator);
        ClientSession session = factory.createSession(true, true, 0)) {
      if (!session.queueQuery(SimpleString.of(QUEUE)).isExists()) {
        if (!session.addressQuery(SimpleString.of(QUEUE)).isExists()) {
          session.createAddress(SimpleString.of(QUEUE), RoutingType.ANYCAST, false);
        }
        session.createQueue(QueueConfiguration.of(QUEUE).setRoutingType(RoutingType.ANYCAST));
      }
      return work.with(session);
    }
  }

  /**
   * Every client waits for the cluster's list of nodes; one that is just becoming active was seen
   * to send none until the call timed out.
   */
  private static ClientSessionFactory connect(ServerLocator locator) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        return locator.createSessionFactory();
      } catch (ActiveMQConnectionTimedOutException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
      }
    }
  }

  @Override
  void startVersion(String version) {
    TestCluster.start(
            TestCluster.runnable("artemis"),
            Map.of(ArtemisClusterProvider.VERSION_PROPERTY, version))
        .close();
  }

  @Override
  String breakConfiguration(String text) {
    return text.replace("<journal-type>NIO<", "<journal-type>PAPER<");
  }

  @Override
  List<String> configurationFileAndError() {
    return List.of("broker.xml", "PAPER");
  }
}
