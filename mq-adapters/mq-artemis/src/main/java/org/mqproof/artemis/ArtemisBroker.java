package org.mqproof.artemis;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.activemq.artemis.api.core.ActiveMQAddressExistsException;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.ActiveMQQueueExistsException;
import org.apache.activemq.artemis.api.core.ActiveMQSecurityException;
import org.apache.activemq.artemis.api.core.JsonUtil;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.api.core.management.ResourceNames;
import org.apache.activemq.artemis.api.jms.ActiveMQJMSClient;
import org.apache.activemq.artemis.api.jms.JMSFactoryType;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnection;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.json.JsonObject;
import org.mqproof.Traits;
import org.mqproof.jms.JmsBroker;
import org.mqproof.jms.JmsSettings;
import org.mqproof.jms.JmsSink;
import org.mqproof.jms.JmsSubscription;

/** Artemis' part, over the core protocol. Thread-safe. */
final class ArtemisBroker implements JmsBroker {

  private static final String MANAGEMENT_ADDRESS = "activemq.management";

  /** Where the client stops to send until the broker has confirmed some of it (send=async). */
  private static final int CONFIRMATION_WINDOW_BYTES = 8 << 20;

  /** Longest time for which the client keeps what nothing flushes; a commit does, at once. */
  private static final long UNFLUSHED_MILLIS = 50;

  /** What the client gathers before it tells the broker; a commit tells it at once. */
  private static final int ACK_BATCH_BYTES = 1 << 20;

  private final ArtemisSettings settings;
  private final Map<Connection, Pools> pools = new ConcurrentHashMap<>();

  ArtemisBroker(ArtemisSettings settings) {
    this.settings = settings;
  }

  @Override
  public Connection connect(String address, Role role) throws JMSException {
    ActiveMQConnectionFactory factory = factory(address);
    Pools threads = new Pools(address);
    threads.giveTo(factory.getServerLocator());
    try {
      Connection connection =
          factory.createConnection(
              settings.get(ArtemisSettings.USER), settings.get(ArtemisSettings.PASSWORD));
      pools.put(connection, threads);
      connection.start();
      return connection;
    } catch (JMSException | RuntimeException e) {
      factory.close();
      threads.end();
      throw e;
    }
  }

  private ActiveMQConnectionFactory factory(String address) {
    int colon = address.lastIndexOf(':');
    JmsSettings shared = settings.shared();
    long stepMillis = shared.stepBound().toMillis();
    Map<String, String> own = settings.get(ArtemisSettings.CLIENT);
    Map<String, Object> options = new HashMap<>();
    ArtemisOptions.putConnector(own, options);
    options.put(TransportConstants.HOST_PROP_NAME, address.substring(0, colon));
    options.put(TransportConstants.PORT_PROP_NAME, Integer.parseInt(address.substring(colon + 1)));
    options.put(TransportConstants.NETTY_CONNECT_TIMEOUT, (int) stepMillis);
    // The messages, or acks, of a transaction go out with its commit, in one write.
    options.put(
        TransportConstants.BATCH_DELAY,
        shared.get(JmsSettings.SEND) == JmsSettings.Send.ASYNC ? 0 : UNFLUSHED_MILLIS);
    // Otherwise threads and connections outlive this by ten seconds.
    options.put(TransportConstants.USE_GLOBAL_WORKER_POOL_PROP_NAME, false);
    options.put(TransportConstants.REMOTING_THREADS_PROPNAME, 1);
    shared.tls().ifPresent(tls -> PreparedTls.putInto(options, tls));
    TransportConfiguration node =
        new TransportConfiguration(NettyConnectorFactory.class.getName(), options);
    ActiveMQConnectionFactory factory =
        ActiveMQJMSClient.createConnectionFactoryWithoutHA(JMSFactoryType.CF, node);
    factory.setUseTopologyForLoadBalancing(false);
    factory.setInitialConnectAttempts(1);
    factory.setReconnectAttempts(0);
    factory.setCallTimeout(stepMillis);
    factory.setConnectionTTL(shared.silenceBound().toMillis());
    factory.setClientFailureCheckPeriod(Math.max(1, shared.silenceBound().toMillis() / 2));
    factory.setConsumerWindowSize(settings.get(ArtemisSettings.CONSUMER_WINDOW_BYTES));
    factory.setTransactionBatchSize(ACK_BATCH_BYTES);
    // Waiting for credits knows no bound; what may be open is bounded by the lanes of senders.
    factory.setProducerWindowSize(-1);
    ArtemisOptions.put(own, factory);
    JmsSettings.Send send = shared.get(JmsSettings.SEND);
    factory.setBlockOnDurableSend(send == JmsSettings.Send.PER_MESSAGE);
    if (send == JmsSettings.Send.ASYNC) {
      // Without this window the broker confirms nothing.
      factory.setConfirmationWindowSize(CONFIRMATION_WINDOW_BYTES);
    }
    return factory;
  }

  @Override
  public void disconnect(Connection connection) throws JMSException {
    ServerLocator locator =
        ((ActiveMQConnection) connection).getSessionFactory().getServerLocator();
    try {
      connection.close();
    } finally {
      locator.close();
      Pools threads = pools.remove(connection);
      if (threads != null) {
        threads.end();
      }
    }
  }

  @Override
  public boolean hasQueue(Connection connection, String queue) throws JMSException {
    AtomicBoolean exists = new AtomicBoolean();
    inSession(
        connection, session -> exists.set(session.queueQuery(SimpleString.of(queue)).isExists()));
    return exists.get();
  }

  @Override
  public List<String> brokenPromises(Connection connection, String queue) throws JMSException {
    List<String> broken = new ArrayList<>();
    if (settings.get(ArtemisSettings.CHECK_QUEUE)) {
      inSession(
          connection,
          session -> {
            broken.addAll(QueuePromise.ofQueue(session.queueQuery(SimpleString.of(queue))));
            addressSettings(session, queue).map(QueuePromise::ofAddress).ifPresent(broken::addAll);
          });
    }
    return broken;
  }

  @Override
  public Set<String> notChecked() {
    return settings.get(ArtemisSettings.CHECK_QUEUE)
        ? Set.of("persistence-enabled")
        : Set.of(Traits.EVERY_SETTING);
  }

  /** What the broker's address-settings say of an address; empty if this user may not see it. */
  private Optional<JsonObject> addressSettings(ClientSession session, String address)
      throws Exception {
    ClientMessage reply;
    try {
      reply = manage(session, "getAddressSettingsAsJSON", address);
    } catch (ActiveMQSecurityException e) {
      return Optional.empty();
    }
    return ManagementHelper.hasOperationSucceeded(reply)
        ? Optional.of(
            JsonUtil.readJsonObject(
                String.valueOf(ManagementHelper.getResult(reply, String.class))))
        : Optional.empty();
  }

  @Override
  public void createQueue(Connection connection, String queue) throws JMSException {
    inSession(
        connection,
        session -> {
          // Where the broker creates no address by itself, a queue does not bring its own.
          SimpleString address = SimpleString.of(queue);
          try {
            if (!session.addressQuery(address).isExists()) {
              session.createAddress(address, RoutingType.ANYCAST, false);
            }
          } catch (ActiveMQAddressExistsException e) {
            // Somebody else was faster; what counts is the queue.
          }
          try {
            session.createQueue(
                QueueConfiguration.of(queue)
                    .setAddress(queue)
                    .setRoutingType(RoutingType.ANYCAST)
                    .setDurable(true)
                    .setAutoDelete(false));
          } catch (ActiveMQQueueExistsException e) {
            return; // as it should be
          }
        });
  }

  @Override
  public void deleteQueue(Connection connection, String queue) throws JMSException {
    inSession(
        connection,
        session -> {
          if (!session.queueQuery(SimpleString.of(queue)).isExists()) {
            return;
          }
          // The session's own deleteQueue refuses a queue that has receivers.
          ClientMessage reply = manage(session, "destroyQueue", queue, true, true);
          if (!ManagementHelper.hasOperationSucceeded(reply)
              && session.queueQuery(SimpleString.of(queue)).isExists()) {
            throw new JMSException(
                "the broker refused: " + ManagementHelper.getResult(reply, String.class));
          }
        });
  }

  private ClientMessage manage(ClientSession session, String operation, Object... parameters)
      throws Exception {
    ClientMessage request = session.createMessage(false);
    ManagementHelper.putOperationInvocation(request, ResourceNames.BROKER, operation, parameters);
    // Ends with its session.
    ClientRequestor management = new ClientRequestor(session, MANAGEMENT_ADDRESS);
    ClientMessage reply = management.request(request, settings.shared().stepBound().toMillis());
    if (reply == null) {
      throw new JMSException("no answer from " + MANAGEMENT_ADDRESS);
    }
    return reply;
  }

  private interface CoreCall {
    void run(ClientSession session) throws Exception;
  }

  private static void inSession(Connection connection, CoreCall call) throws JMSException {
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      call.run(core(session));
    } catch (JMSException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw jms(e);
    }
  }

  static ClientSession core(Session session) {
    return ((ActiveMQSession) session).getCoreSession();
  }

  static JMSException jms(Exception cause) {
    JMSException failure = new JMSException(String.valueOf(cause.getMessage()));
    failure.initCause(cause);
    return failure;
  }

  @Override
  public boolean isReserved(String name) {
    return isOwnName(name);
  }

  /** Artemis' own begin so; a header of that name could order or drop messages. */
  static boolean isOwnName(String name) {
    return name.startsWith("JMS") || name.startsWith("_AMQ") || name.startsWith("__AMQ");
  }

  /** The JMS client refuses names that are no Java identifiers; it and all others read them. */
  @Override
  public void setHeader(Message message, String name, String value) {
    var unused = ((ActiveMQMessage) message).getCoreMessage().putStringProperty(name, value);
  }

  @Override
  public void sendAsync(
      MessageProducer producer, Destination queue, Message message, CompletionListener listener)
      throws JMSException {
    producer.send(queue, message, listener);
  }

  @Override
  public boolean refused(Exception failure) {
    // The client says "rolled back" also when it gave up waiting for the answer to a commit. That a
    // queue does not exist only the broker says, and a commit that meets it has rolled back.
    if (failure instanceof InvalidDestinationException) {
      return true;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ActiveMQException core) {
        switch (core.getType()) {
          case ADDRESS_DOES_NOT_EXIST, QUEUE_DOES_NOT_EXIST, SECURITY_EXCEPTION -> {
            return true;
          }
          default -> {
            return false;
          }
        }
      }
    }
    return false;
  }

  @Override
  public JmsSubscription subscribe(Connection connection, String queue, JmsSink sink)
      throws JMSException {
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    try {
      return new ArtemisSubscription(core(session), queue, sink);
    } catch (ActiveMQException e) {
      throw jms(e);
    }
  }
}
