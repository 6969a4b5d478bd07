package org.mqproof.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.support.Arguments;
import org.mqproof.support.Causes;
import org.mqproof.support.MessageLimits;
import org.mqproof.support.OpenParts;
import org.mqproof.support.Promise;
import org.mqproof.support.TlsFailure;

/**
 * Queues of one broker, which may be several nodes of which one serves: a connection that creates
 * and deletes, one for each lane of senders, and one for each receiver. Thread-safe.
 */
public final class JmsMq implements Mq {

  private final JmsBroker broker;
  private final JmsSettings settings;
  private final Nodes nodes;
  private final HeldConnection user;
  private final HeldConnection admin;
  private final Traits traits;
  private final MessageLimits limits;
  private final List<SendLane> lanes = new ArrayList<>();
  private final AtomicInteger nextLane = new AtomicInteger();
  private final OpenParts<JmsSender, JmsReceiver> parts;

  private JmsMq(JmsBroker broker, JmsSettings settings) {
    this.broker = broker;
    this.settings = settings;
    parts = new OpenParts<>(settings.endpoint());
    nodes = new Nodes(broker, settings);
    user = new HeldConnection(nodes, settings, JmsBroker.Role.USER);
    admin = new HeldConnection(nodes, settings, JmsBroker.Role.ADMIN);
    traits = settings.traits(broker.notChecked());
    limits = MessageLimits.of(traits, broker::isReserved);
  }

  /**
   * Connects.
   *
   * @param broker what is the broker's own
   * @param settings the settings
   * @return a new connection
   * @throws MqException if no node serves within {@link JmsSettings#CONNECT_BOUND}
   */
  public static JmsMq connect(JmsBroker broker, JmsSettings settings) {
    JmsMq mq = new JmsMq(broker, settings);
    mq.start();
    return mq;
  }

  private void start() {
    try {
      user.open(settings.get(JmsSettings.CONNECT_BOUND));
    } catch (MqException e) {
      throw TlsFailure.explained(e, settings.tls(), settings.addresses());
    }
    for (int i = 0; i < settings.get(JmsSettings.SEND_SESSIONS); i++) {
      lanes.add(new SendLane(broker, settings, nodes, i).start());
    }
  }

  @Override
  public void createQueue(String queue) {
    Arguments.requireQueueName(queue);
    requirePromise(queue);
    if (!hasQueue(queue)) {
      administer("create queue " + queue, connection -> broker.createQueue(connection, queue));
    }
  }

  @Override
  public void deleteQueue(String queue) {
    Arguments.requireQueueName(queue);
    administer("delete queue " + queue, connection -> broker.deleteQueue(connection, queue));
  }

  private interface Order {
    void run(Connection connection) throws JMSException;
  }

  private void administer(String what, Order order) {
    parts.requireOpen();
    boolean unused =
        admin.call(
            what,
            connection -> {
              order.run(connection);
              return true;
            });
  }

  private boolean hasQueue(String queue) {
    parts.requireOpen();
    return user.call("ask for queue " + queue, connection -> broker.hasQueue(connection, queue));
  }

  private void requirePromise(String queue) {
    parts.requireOpen();
    List<String> broken =
        user.call(
            "see the configuration of queue " + queue,
            connection -> broker.brokenPromises(connection, queue));
    Promise.require(settings.endpoint(), "queue " + queue, broken, JmsBroker.CHECK_QUEUE);
  }

  private MqException cannot(String what, Exception cause) {
    return new MqException(
        "%s: cannot %s: %s".formatted(settings.endpoint(), what, Causes.reason(cause)), cause);
  }

  @Override
  public Sender sender(String queue) {
    Arguments.requireQueueName(queue);
    if (!hasQueue(queue)) {
      throw new MqException(
          "%s: there is no queue %s, or the user is not authorized to send to it"
              .formatted(settings.endpoint(), queue));
    }
    requirePromise(queue);
    SendLane lane = lanes.get(Math.floorMod(nextLane.getAndIncrement(), lanes.size()));
    return parts.add(new JmsSender(settings, queue, limits, lane, parts.senders()::remove));
  }

  @Override
  public Receiver receiver(String queue) {
    Arguments.requireQueueName(queue);
    requirePromise(queue);
    Connection connection =
        nodes.connect(JmsBroker.Role.USER, settings.stepBound().multipliedBy(2));
    JmsReceiver receiver =
        new JmsReceiver(settings, queue, nodes, connection, parts.receivers()::remove);
    try {
      connection.setExceptionListener(receiver::failed);
      receiver.start(broker.subscribe(connection, queue, receiver));
    } catch (JMSException | RuntimeException e) {
      Exception unused = nodes.close(connection);
      throw cannot("receive from queue " + queue, e);
    }
    return parts.add(receiver);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public void close() {
    if (!parts.beginClose()) {
      return;
    }
    long deadline = System.nanoTime() + settings.callBound().toNanos();
    parts.receivers().forEach(JmsReceiver::beginClose);
    parts.senders().forEach(JmsSender::close);
    lanes.forEach(SendLane::beginClose);
    lanes.forEach(lane -> lane.awaitClosed(deadline));
    parts.receivers().forEach(receiver -> receiver.awaitClosed(deadline));
    user.close(deadline);
    admin.close(deadline);
  }
}
