package org.mqproof.activemq;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.advisory.AdvisorySupport;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.Command;
import org.apache.activemq.command.ConnectionId;
import org.apache.activemq.command.ConsumerId;
import org.apache.activemq.command.ConsumerInfo;
import org.apache.activemq.command.DestinationInfo;
import org.apache.activemq.command.LocalTransactionId;
import org.apache.activemq.command.Message;
import org.apache.activemq.command.MessageAck;
import org.apache.activemq.command.MessageDispatch;
import org.apache.activemq.command.MessageId;
import org.apache.activemq.command.SessionId;
import org.apache.activemq.command.SessionInfo;
import org.apache.activemq.command.TransactionInfo;
import org.apache.activemq.util.ByteSequence;
import org.fusesource.hawtbuf.UTF8Buffer;
import org.jspecify.annotations.Nullable;
import org.mqproof.jms.JmsHeaders;
import org.mqproof.jms.JmsSink;
import org.mqproof.jms.JmsSubscription;

/**
 * A subscription made of the commands that the client itself sends, without its message consumer.
 *
 * <p>The consumer can ack one message ({@code INDIVIDUAL_ACKNOWLEDGE}), which costs the broker a
 * command each, or everything its session was given ({@code CLIENT_ACKNOWLEDGE}), which acks what
 * nobody named; and it moves a message to a dead letter queue after six redeliveries. The protocol
 * can ack any unbroken range of what a subscription has unacked, and many in one transaction: one
 * forced write, one round trip, and an answer that covers all of them. So {@code prefetch} is the
 * broker's own limit of what is unacked here, as {@code traits()} says.
 *
 * <p>The connection's reading thread brings the messages and must never wait; one other thread
 * acks.
 */
final class ActiveMqSubscription implements JmsSubscription {

  /** As many unacked as the client's own consumer of advisories takes. */
  private static final int ADVISORIES = 1_000;

  private final ActiveMQConnection connection;
  private final ActiveMQQueue queue;
  private final int prefetch;
  private final JmsSink sink;
  private final ConnectionId connectionId;
  private final SessionId sessionId;
  private final ConsumerId consumerId;
  private final ConsumerId watcherId;
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private long transactions;
  private int unackedAdvisories; // the connection's reading thread's

  ActiveMqSubscription(
      ActiveMQConnection connection, ActiveMQQueue queue, int prefetch, JmsSink sink) {
    this.connection = connection;
    this.queue = queue;
    this.prefetch = prefetch;
    this.sink = sink;
    connectionId = connection.getConnectionInfo().getConnectionId();
    sessionId = new SessionId(connectionId, 1);
    consumerId = new ConsumerId(sessionId, 1);
    watcherId = new ConsumerId(sessionId, 2);
  }

  void open() throws JMSException {
    request(new SessionInfo(sessionId));
    watchQueue();
    connection.addDispatcher(consumerId, this::dispatch);
    ConsumerInfo info = new ConsumerInfo(consumerId);
    info.setDestination(queue);
    info.setPrefetchSize(prefetch);
    info.setDispatchAsync(true);
    request(info);
  }

  /**
   * Hears of deleted queues, for the broker drops their subscriptions without a word. Nobody tells
   * a user who may not read advisories, or where the broker sends none.
   */
  private void watchQueue() throws JMSException {
    ConsumerInfo info = new ConsumerInfo(watcherId);
    info.setDestination(AdvisorySupport.getDestinationAdvisoryTopic(queue));
    info.setPrefetchSize(ADVISORIES);
    info.setDispatchAsync(true);
    connection.addDispatcher(watcherId, this::advised);
    try {
      request(info);
    } catch (JMSException e) {
      connection.removeDispatcher(watcherId);
      if (!ActiveMqBroker.isForbidden(e)) {
        throw e;
      }
    }
  }

  private void advised(MessageDispatch dispatch) {
    Message advisory = dispatch.getMessage();
    if (advisory != null
        && advisory.getDataStructure() instanceof DestinationInfo info
        && info.isRemoveOperation()
        && queue.equals(info.getDestination())) {
      sink.failed(new JMSException("the queue was deleted"));
    }
    if (++unackedAdvisories >= ADVISORIES / 2) {
      try {
        connection.asyncSendPacket(
            new MessageAck(dispatch, MessageAck.STANDARD_ACK_TYPE, unackedAdvisories));
        unackedAdvisories = 0;
      } catch (JMSException e) {
        sink.failed(e);
      }
    }
  }

  private void request(Command command) throws JMSException {
    Objects.requireNonNull(connection.syncSendPacket(command), "a response");
  }

  private void dispatch(MessageDispatch dispatch) {
    try {
      Message message = dispatch.getMessage();
      if (!(message instanceof BytesMessage) && ActiveMqBroker.isFirst(message)) {
        removeFirst(message);
        return;
      }
      sink.arrived(message.getMessageId(), message(message));
    } catch (JMSException | RuntimeException e) {
      failure.compareAndSet(null, e);
      sink.failed(e);
    }
  }

  private static org.mqproof.Message message(Message message) throws JMSException {
    byte[] body = body(message);
    Map<String, Object> properties;
    try {
      properties = message.getProperties();
    } catch (IOException e) {
      return new org.mqproof.Message(body); // what cannot be read is no header
    }
    List<String> names =
        properties.keySet().stream().filter(name -> !ActiveMqBroker.isOwnName(name)).toList();
    return JmsHeaders.message(
        body,
        names,
        name ->
            properties.get(name) instanceof UTF8Buffer text ? text(text) : properties.get(name));
  }

  /**
   * Decodes text as it was encoded. Clients in Java write a character beyond U+FFFF as two of three
   * bytes each, which {@link UTF8Buffer#toString} does not understand.
   */
  private static String text(UTF8Buffer encoded) {
    byte[] bytes = encoded.toByteArray();
    ByteBuffer withLength = ByteBuffer.allocate(Short.BYTES + bytes.length);
    withLength.putShort((short) bytes.length).put(bytes);
    try {
      return DataInputStream.readUTF(
          new DataInputStream(new ByteArrayInputStream(withLength.array())));
    } catch (IOException e) {
      return encoded.toString(); // of another client
    }
  }

  /**
   * Other programs may have sent other kinds: the text of a text message, and of any other the
   * bytes that its sender's client wrote. None of them may stop the receiver.
   */
  private static byte[] body(Message message) throws JMSException {
    if (message instanceof BytesMessage bytes) {
      byte[] body = new byte[Math.toIntExact(bytes.getBodyLength())];
      if (body.length > 0 && bytes.readBytes(body) != body.length) {
        throw new JMSException("a body ended early: " + message.getMessageId());
      }
      return body;
    }
    if (message instanceof TextMessage text) {
      return Objects.requireNonNullElse(text.getText(), "").getBytes(UTF_8);
    }
    ByteSequence content = message.getContent();
    return content == null
        ? new byte[0]
        : Arrays.copyOfRange(
            content.getData(), content.getOffset(), content.getOffset() + content.getLength());
  }

  /** Its creator died before it could take it back. Not waited for: it comes again if need be. */
  private void removeFirst(Message message) throws JMSException {
    MessageAck ack = new MessageAck();
    ack.setConsumerId(consumerId);
    ack.setDestination(queue);
    ack.setAckType(MessageAck.INDIVIDUAL_ACK_TYPE);
    ack.setFirstMessageId(message.getMessageId());
    ack.setLastMessageId(message.getMessageId());
    ack.setMessageCount(1);
    connection.asyncSendPacket(ack);
  }

  @Override
  public void ack(List<Run> runs) throws JMSException {
    LocalTransactionId transaction = new LocalTransactionId(connectionId, ++transactions);
    connection.asyncSendPacket(
        new TransactionInfo(connectionId, transaction, TransactionInfo.BEGIN));
    for (Run run : runs) {
      MessageAck ack = new MessageAck();
      ack.setConsumerId(consumerId);
      ack.setDestination(queue);
      ack.setTransactionId(transaction);
      ack.setAckType(MessageAck.STANDARD_ACK_TYPE);
      ack.setFirstMessageId((MessageId) run.handles().get(0));
      ack.setLastMessageId((MessageId) run.last());
      ack.setMessageCount(run.handles().size());
      connection.asyncSendPacket(ack);
    }
    // If the broker could not find one of them, the transaction is marked and this fails.
    request(new TransactionInfo(connectionId, transaction, TransactionInfo.COMMIT_ONE_PHASE));
    Exception broken = failure.get();
    if (broken != null) {
      JMSException failed = new JMSException(String.valueOf(broken.getMessage()));
      failed.initCause(broken);
      throw failed;
    }
  }

  @Override
  public boolean isEnded() {
    return false; // what ends it is told at once
  }
}
