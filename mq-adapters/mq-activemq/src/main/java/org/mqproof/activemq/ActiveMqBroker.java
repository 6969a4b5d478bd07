package org.mqproof.activemq;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQMessageProducer;
import org.apache.activemq.ActiveMQSslConnectionFactory;
import org.apache.activemq.AsyncCallback;
import org.apache.activemq.ScheduledMessage;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.DestinationInfo;
import org.mqproof.Traits;
import org.mqproof.jms.JmsBroker;
import org.mqproof.jms.JmsSettings;
import org.mqproof.jms.JmsSink;
import org.mqproof.jms.JmsSubscription;
import org.mqproof.support.Tls;

/** ActiveMQ's part, over {@code tcp:} and {@code ssl:} connections. Thread-safe. */
final class ActiveMqBroker implements JmsBroker {

  /**
   * Any time but zero: with zero the broker refuses to delete a queue that has receivers, with more
   * it drops them.
   */
  private static final long DROP_RECEIVERS_MILLIS = 1;

  /** Property of the one message that {@link #createQueue} sends. */
  private static final String MARK = "mqproofFirst";

  private final ActiveMqSettings settings;
  private final int stepMillis;

  ActiveMqBroker(ActiveMqSettings settings) {
    this.settings = settings;
    stepMillis = Math.toIntExact(settings.shared().stepBound().toMillis());
  }

  @Override
  public Connection connect(String address, Role role) throws JMSException {
    ActiveMQConnectionFactory factory = factory(settings.uri(address));
    ActiveMqOptions.put(settings.get(ActiveMqSettings.CLIENT), factory);
    factory.setWatchTopicAdvisories(false);
    factory.setCopyMessageOnSend(false);
    factory.setCloseTimeout(stepMillis);
    factory.setConnectResponseTimeout(stepMillis);
    factory.setSendTimeout(0); // or a transaction would wait for every message of it
    factory.setMaxThreadPoolSize(2);
    boolean admin = role == Role.ADMIN;
    ActiveMQConnection connection =
        (ActiveMQConnection)
            factory.createConnection(
                settings.get(admin ? ActiveMqSettings.ADMIN_USER : ActiveMqSettings.USER),
                settings.get(admin ? ActiveMqSettings.ADMIN_PASSWORD : ActiveMqSettings.PASSWORD));
    connection.setRequestTimeout(stepMillis);
    try {
      connection.start();
    } catch (JMSException e) {
      try {
        connection.close();
      } catch (JMSException broken) {
        e.addSuppressed(broken);
      }
      throw e;
    }
    return connection;
  }

  private ActiveMQConnectionFactory factory(String uri) {
    Optional<Tls> tls = settings.shared().tls();
    if (tls.isEmpty()) {
      return new ActiveMQConnectionFactory(uri);
    }
    ActiveMQSslConnectionFactory factory = new ActiveMQSslConnectionFactory(uri);
    factory.setKeyAndTrustManagers(
        tls.get().keyManagers(), tls.get().trustManagers(), new SecureRandom());
    return factory;
  }

  @Override
  public void disconnect(Connection connection) throws JMSException {
    connection.close();
  }

  @Override
  public boolean hasQueue(Connection connection, String queue) throws JMSException {
    try (Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      session.createProducer(new ActiveMQQueue(queue));
      return true;
    } catch (JMSException | RuntimeException e) {
      if (refused(e)) {
        return false; // it would have to be created, which a user may not
      }
      throw e;
    }
  }

  /** The broker tells nobody over this protocol. */
  @Override
  public List<String> brokenPromises(Connection connection, String queue) {
    return List.of();
  }

  @Override
  public Set<String> notChecked() {
    return Set.of(Traits.EVERY_SETTING);
  }

  @Override
  public void createQueue(Connection connection, String queue) throws JMSException {
    administer(connection, queue, DestinationInfo.ADD_OPERATION_TYPE);
    passOneMessage(connection, queue);
  }

  /**
   * KahaDB writes nothing of a queue before its first message: until then the queue would be gone
   * after a crash. Nobody else sees this message: no other consumer gets any while an exclusive one
   * of a higher priority is there, and this one takes no other message.
   */
  private void passOneMessage(Connection connection, String queue) throws JMSException {
    String mark = UUID.randomUUID().toString();
    try (Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer =
            session.createConsumer(
                new ActiveMQQueue(queue + "?consumer.exclusive=true&consumer.priority=127"),
                MARK + " = '" + mark + "'");
        MessageProducer producer = session.createProducer(new ActiveMQQueue(queue))) {
      Message first = session.createMessage();
      first.setStringProperty(MARK, mark);
      producer.send(first, DeliveryMode.PERSISTENT, Message.DEFAULT_PRIORITY, 0);
      session.commit();
      if (consumer.receive(stepMillis) == null) {
        throw new JMSException("the first message of the queue did not come back");
      }
      session.commit();
    }
  }

  /** Whether {@link #passOneMessage} sent it. */
  static boolean isFirst(org.apache.activemq.command.Message message) {
    try {
      return message.getProperty(MARK) != null;
    } catch (IOException e) {
      return false; // properties that cannot be read are not ours
    }
  }

  @Override
  public void deleteQueue(Connection connection, String queue) throws JMSException {
    administer(connection, queue, DestinationInfo.REMOVE_OPERATION_TYPE);
  }

  private static void administer(Connection connection, String queue, byte operation)
      throws JMSException {
    ActiveMQConnection activeMq = (ActiveMQConnection) connection;
    DestinationInfo info =
        new DestinationInfo(
            activeMq.getConnectionInfo().getConnectionId(), operation, new ActiveMQQueue(queue));
    info.setTimeout(DROP_RECEIVERS_MILLIS);
    Objects.requireNonNull(activeMq.syncSendPacket(info), "a response");
  }

  @Override
  public boolean isReserved(String name) {
    return isOwnName(name);
  }

  /** JMS', the scheduler's, which would delay a message, and this adapter's. */
  static boolean isOwnName(String name) {
    return name.startsWith("JMS")
        || name.startsWith("AMQ_")
        || name.equals(ScheduledMessage.AMQ_SCHEDULED_ID)
        || name.equals(MARK);
  }

  @Override
  public void setHeader(Message message, String name, String value) throws JMSException {
    message.setStringProperty(name, value);
  }

  @Override
  public void sendAsync(
      MessageProducer producer, Destination queue, Message message, CompletionListener listener)
      throws JMSException {
    ((ActiveMQMessageProducer) producer)
        .send(
            queue,
            message,
            new AsyncCallback() {
              @Override
              public void onSuccess() {
                listener.onCompletion(message);
              }

              @Override
              public void onException(JMSException failure) {
                listener.onException(message, failure);
              }
            });
  }

  @Override
  public boolean refused(Exception failure) {
    return isForbidden(failure);
  }

  static boolean isForbidden(Exception failure) {
    // Thrown by the broker's authorization before it looks at the message; the client never does.
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SecurityException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public JmsSubscription subscribe(Connection connection, String queue, JmsSink sink)
      throws JMSException {
    ActiveMqSubscription subscription =
        new ActiveMqSubscription(
            (ActiveMQConnection) connection,
            new ActiveMQQueue(queue),
            settings.get(JmsSettings.PREFETCH),
            sink);
    subscription.open();
    return subscription;
  }
}
