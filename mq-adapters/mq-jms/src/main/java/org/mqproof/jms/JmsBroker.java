package org.mqproof.jms;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import java.util.List;
import java.util.Set;
import org.mqproof.Traits;

/**
 * What differs between brokers. Thread-safe; every call ends within {@link JmsSettings#stepBound()}
 * or throws.
 *
 * <p>Connections do not reconnect by themselves: a client library that does so hides which sends
 * and claims were lost with the old connection. {@link JmsMq} opens new ones instead.
 */
public interface JmsBroker {

  /** Key of the setting that switches {@link #brokenPromises} off, where a broker has one. */
  String CHECK_QUEUE = "check.queue";

  /** Whose rights a connection has. */
  enum Role {
    /** Sends and receives, and cannot create a queue. */
    USER,
    /** Creates and deletes queues. */
    ADMIN
  }

  /**
   * Connects to one node.
   *
   * @param address its {@code host:port}
   * @param role whose rights
   * @return a started connection
   * @throws JMSException if the node does not serve
   */
  Connection connect(String address, Role role) throws JMSException;

  /**
   * Closes a connection with everything that was made from it.
   *
   * @param connection one that {@link #connect} returned
   * @throws JMSException if the broker could not be told; it is closed on this side all the same
   */
  void disconnect(Connection connection) throws JMSException;

  /**
   * Asks for a queue.
   *
   * @param connection a user's
   * @param queue its name
   * @return whether there is one that this user may send to
   * @throws JMSException if the broker did not answer
   */
  boolean hasQueue(Connection connection, String queue) throws JMSException;

  /**
   * Asks what the broker's configuration would do to messages of a queue against what the traits
   * promise.
   *
   * @param connection a user's
   * @param queue its name, also of a queue that is not there yet
   * @return each as "setting is value, must be ..."; empty if nothing does, as far as this user may
   *     see it
   * @throws JMSException if the broker did not answer
   */
  List<String> brokenPromises(Connection connection, String queue) throws JMSException;

  /**
   * What {@link #brokenPromises} does not look at, for {@link Traits#notChecked()}.
   *
   * @return names of settings, or of kinds of settings
   */
  Set<String> notChecked();

  /**
   * Creates a queue that outlives a crash of its node also while it is empty.
   *
   * @param connection an administrator's
   * @param queue its name; there was no such queue a moment ago, but somebody else may be faster
   * @throws JMSException if the broker refused, or did not answer
   */
  void createQueue(Connection connection, String queue) throws JMSException;

  /**
   * Deletes a queue with its messages and whoever receives from it, if there is one.
   *
   * @param connection an administrator's
   * @param queue its name
   * @throws JMSException if the broker refused, or did not answer
   */
  void deleteQueue(Connection connection, String queue) throws JMSException;

  /**
   * Whether a name of a header means something to the broker or its clients. Such a header is not
   * sent, and of a message that was received it is left out.
   *
   * @param name valid otherwise
   * @return true if it cannot be used
   */
  boolean isReserved(String name);

  /**
   * Adds a header as a property of type String.
   *
   * @param message to be sent
   * @param name not reserved
   * @param value not empty
   * @throws JMSException if the client refuses it
   */
  void setHeader(Message message, String name, String value) throws JMSException;

  /**
   * Sends one message and does not wait for the confirm.
   *
   * @param producer of a session without transactions
   * @param queue where to
   * @param message what
   * @param listener is told the outcome, from any thread
   * @throws JMSException if it was not sent
   */
  void sendAsync(
      MessageProducer producer, Destination queue, Message message, CompletionListener listener)
      throws JMSException;

  /**
   * Whether a failure that was thrown by a send or a commit is the broker's own refusal, so that
   * nothing of it was stored. Everything else may be a lost answer.
   *
   * @param failure what the client threw
   * @return false in doubt
   */
  boolean refused(Exception failure);

  /**
   * Starts to receive.
   *
   * @param connection for this subscription alone
   * @param queue a queue that exists
   * @param sink takes the messages, in the order in which the broker handed them out
   * @return the subscription, already running
   * @throws JMSException if the queue does not exist, or the broker does not answer
   */
  JmsSubscription subscribe(Connection connection, String queue, JmsSink sink) throws JMSException;
}
