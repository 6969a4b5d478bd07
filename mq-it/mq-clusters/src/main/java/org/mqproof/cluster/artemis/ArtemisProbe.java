package org.mqproof.cluster.artemis;

import java.util.Optional;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.mqproof.cluster.security.Security;

/** Asks an Artemis node to do real work. Thread-safe: no state. */
final class ArtemisProbe {

  private static final String QUEUE = "mqproof-ready";
  private static final int CALL_MILLIS = 3_000;

  private ArtemisProbe() {}

  /**
   * Asks whether the other node is in sync, then sends a durable message and takes it out again,
   * over a new connection to this node alone. Each step is bounded by some seconds.
   *
   * @param address host and port
   * @param password of {@link Security#USER}; any where the node asks for none
   * @return what is not as it should be; empty if all is well
   */
  static Optional<String> notReady(String address, String password) {
    try (ServerLocator locator =
            ActiveMQClient.createServerLocator(
                "tcp://%s?connect-timeout-millis=%d".formatted(address, CALL_MILLIS));
        ClientSessionFactory factory =
            locator
                .setCallTimeout(CALL_MILLIS)
                .setInitialConnectAttempts(1)
                .setReconnectAttempts(0)
                .setUseTopologyForLoadBalancing(false)
                .createSessionFactory();
        ClientSession session =
            factory.createSession(Security.USER, password, false, true, true, false, 0)) {
      session.start();
      if (!isReplicaInSync(session)) {
        return Optional.of("the backup is not in sync");
      }
      return sendAndReceive(session);
    } catch (Exception e) { // as the client declares
      return Optional.of(e.toString());
    }
  }

  private static boolean isReplicaInSync(ClientSession session) throws Exception {
    ClientRequestor requestor = new ClientRequestor(session, "activemq.management");
    ClientMessage request = session.createMessage(false);
    ManagementHelper.putAttribute(request, ResourceNames.BROKER, "replicaSync");
    ClientMessage reply = requestor.request(request, CALL_MILLIS);
    requestor.close();
    return reply != null && Boolean.TRUE.equals(ManagementHelper.getResult(reply));
  }

  private static Optional<String> sendAndReceive(ClientSession session) throws Exception {
    if (!session.queueQuery(SimpleString.of(QUEUE)).isExists()) {
      if (!session.addressQuery(SimpleString.of(QUEUE)).isExists()) {
        session.createAddress(SimpleString.of(QUEUE), RoutingType.ANYCAST, false);
      }
      session.createQueue(QueueConfiguration.of(QUEUE).setRoutingType(RoutingType.ANYCAST));
    }
    try (ClientProducer producer = session.createProducer(QUEUE);
        ClientConsumer consumer = session.createConsumer(QUEUE)) {
      producer.send(session.createMessage(true));
      ClientMessage message = consumer.receive(CALL_MILLIS);
      if (message == null) {
        return Optional.of("a message that was confirmed is not delivered");
      }
      message.acknowledge();
      return Optional.empty();
    }
  }
}
