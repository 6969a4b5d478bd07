package org.mqproof.artemis;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.jms.JMSException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.mqproof.jms.JmsHeaders;
import org.mqproof.jms.JmsSink;
import org.mqproof.jms.JmsSubscription;

/**
 * A consumer of the core session under a transacted JMS session.
 *
 * <p>JMS has an ack of one message, which costs the broker a forced write each, and one of all that
 * the session delivered, which acks what nobody named. The core consumer has "everything up to this
 * one", which is right exactly where nothing before is unacked; what is not acked so is acked
 * singly. All acks of a call are one transaction: one forced write, one round trip, and an answer
 * that covers them all.
 *
 * <p>The session's executor brings the messages; one other thread acks.
 */
final class ArtemisSubscription implements JmsSubscription {

  /** The priority that all messages have unless their sender says otherwise. */
  private static final int DEFAULT_PRIORITY = 4;

  private final ClientSession session;
  private final ClientConsumer consumer;
  private final JmsSink sink;

  /** Once set, the order of arrival is not the order in which the broker counts "up to". */
  private volatile boolean mixedPriorities;

  ArtemisSubscription(ClientSession session, String queue, JmsSink sink) throws ActiveMQException {
    this.session = session;
    this.sink = sink;
    consumer = session.createConsumer(SimpleString.of(queue));
    consumer.setMessageHandler(this::onMessage);
  }

  private void onMessage(ClientMessage message) {
    try {
      if (message.getPriority() != DEFAULT_PRIORITY) {
        mixedPriorities = true;
      }
      // Reads the rest of a large message, which is only possible now.
      ActiveMQBuffer buffer =
          message.isLargeMessage() ? message.getBodyBuffer() : message.getDataBuffer();
      sink.awaitRoom();
      byte[] body = body(message.getType(), buffer);
      sink.arrived(message, message(body, message));
    } catch (RuntimeException e) {
      sink.failed(e);
    }
  }

  /** Other programs may have sent text; of any other kind the bytes are as they came. */
  private static byte[] body(byte type, ActiveMQBuffer buffer) {
    if (type == Message.TEXT_TYPE) {
      SimpleString text = buffer.readNullableSimpleString();
      return text == null ? new byte[0] : text.toString().getBytes(UTF_8);
    }
    byte[] body = new byte[buffer.readableBytes()];
    buffer.readBytes(body);
    return body;
  }

  private static org.mqproof.Message message(byte[] body, ClientMessage message) {
    Set<String> names = new HashSet<>();
    for (SimpleString name : message.getPropertyNames()) {
      if (!ArtemisBroker.isOwnName(name.toString())) {
        names.add(name.toString());
      }
    }
    return JmsHeaders.message(
        body,
        names,
        name ->
            message.getObjectProperty(name) instanceof SimpleString text ? text.toString() : null);
  }

  @Override
  public void ack(List<Run> runs) throws JMSException {
    try {
      for (Run run : runs) {
        if (run.fromFirst() && !mixedPriorities) {
          consumerAck((ClientMessage) run.last());
        } else {
          for (Object handle : run.handles()) {
            ((ClientMessage) handle).individualAcknowledge();
          }
        }
      }
      session.commit();
    } catch (ActiveMQException e) {
      throw ArtemisBroker.jms(e);
    }
  }

  @Override
  public boolean isEnded() {
    return consumer.isClosed(); // by the client, when the broker says that the queue is gone
  }

  private static void consumerAck(ClientMessage message) throws ActiveMQException {
    ClientMessage unused = message.acknowledge();
  }
}
