package org.mqproof.jms;

import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A broker whose failures each test chooses; it stores the numbers of bytes of bodies. */
final class FakeBroker implements JmsBroker, JmsSubscription {

  /** Sizes of the bodies of each transaction that was committed, or of each single message. */
  final List<List<Integer>> stored = new CopyOnWriteArrayList<>();

  final Map<String, String> headers = new ConcurrentHashMap<>();
  final List<Run> acks = new CopyOnWriteArrayList<>();
  final AtomicInteger connections = new AtomicInteger();
  final AtomicInteger askFailures = new AtomicInteger();
  volatile @Nullable Role refused;
  final AtomicInteger refusals = new AtomicInteger();
  final AtomicInteger open = new AtomicInteger();
  final CompletableFuture<JmsSink> sink = new CompletableFuture<>();
  final CompletableFuture<String> commitStarted = new CompletableFuture<>();
  volatile CompletableFuture<Boolean> commitMayEnd = CompletableFuture.completedFuture(true);
  final CompletableFuture<String> questionStarted = new CompletableFuture<>();
  volatile CompletableFuture<Boolean> answerMayCome = CompletableFuture.completedFuture(true);
  volatile CompletableFuture<Boolean> ackMayEnd = CompletableFuture.completedFuture(true);
  volatile @Nullable JMSException commitFailure;
  volatile @Nullable JMSException commitFailureAfterStoring;
  volatile @Nullable JMSException ackFailure;
  volatile List<String> brokenPromises = List.of();
  volatile boolean ended;
  final Set<String> deadAddresses = ConcurrentHashMap.newKeySet();
  final Set<String> missingQueues = ConcurrentHashMap.newKeySet();
  final List<CompletionListener> unconfirmed = new CopyOnWriteArrayList<>();

  @Override
  public Connection connect(String address, Role role) throws JMSException {
    if (refused == role) {
      refusals.incrementAndGet();
      throw new JMSSecurityException("who are you");
    }
    if (deadAddresses.contains(address)) {
      throw new JMSException(address + " refuses");
    }
    connections.incrementAndGet();
    open.incrementAndGet();
    return proxy(
        Connection.class,
        (self, method, arguments) -> method.getName().equals("createSession") ? session() : null);
  }

  private Session session() {
    List<Integer> transaction = new ArrayList<>();
    return proxy(
        Session.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "createQueue" -> queue((String) arguments[0]);
              case "createBytesMessage" -> message();
              case "createProducer" -> producer(transaction);
              case "commit" -> {
                commit(transaction);
                yield null;
              }
              default -> null;
            });
  }

  private void commit(List<Integer> transaction) throws JMSException {
    commitStarted.complete("started");
    commitMayEnd.join();
    JMSException failure = commitFailure;
    if (failure != null) {
      throw failure;
    }
    stored.add(List.copyOf(transaction));
    transaction.clear();
    JMSException answerLost = commitFailureAfterStoring;
    if (answerLost != null) {
      throw answerLost;
    }
  }

  private MessageProducer producer(List<Integer> transaction) {
    return proxy(
        MessageProducer.class,
        (self, method, arguments) -> {
          if (method.getName().equals("send")) {
            String queue = ((Queue) arguments[0]).getQueueName();
            if (missingQueues.contains(queue)) {
              throw new InvalidDestinationException(queue + " is missing");
            }
            transaction.add((int) ((BytesMessage) arguments[1]).getBodyLength());
          }
          return null;
        });
  }

  private static Queue queue(String name) {
    return proxy(
        Queue.class,
        (self, method, arguments) -> method.getName().equals("getQueueName") ? name : null);
  }

  private BytesMessage message() {
    AtomicInteger length = new AtomicInteger();
    return proxy(
        BytesMessage.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "writeBytes" -> {
                length.set(((byte[]) arguments[0]).length);
                yield null;
              }
              case "setStringProperty" -> {
                headers.put((String) arguments[0], (String) arguments[1]);
                yield null;
              }
              case "getBodyLength" -> (long) length.get();
              default -> null;
            });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  case "toString" -> type.getSimpleName();
                  default -> handler.invoke(self, method, arguments);
                }));
  }

  @Override
  public void disconnect(Connection connection) {
    open.decrementAndGet();
  }

  @Override
  public List<String> brokenPromises(Connection connection, String queue) {
    return brokenPromises;
  }

  @Override
  public Set<String> notChecked() {
    return Set.of();
  }

  @Override
  public boolean hasQueue(Connection connection, String queue) throws JMSException {
    if (askFailures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new JMSException("broken");
    }
    questionStarted.complete("started");
    answerMayCome.join();
    return !missingQueues.contains(queue);
  }

  @Override
  public void createQueue(Connection connection, String queue) {}

  @Override
  public void deleteQueue(Connection connection, String queue) {}

  @Override
  public boolean isReserved(String name) {
    return name.startsWith("JMS");
  }

  @Override
  public void setHeader(Message message, String name, String value) throws JMSException {
    message.setStringProperty(name, value);
  }

  @Override
  public void sendAsync(
      MessageProducer producer, Destination queue, Message message, CompletionListener listener) {
    unconfirmed.add(listener);
  }

  @Override
  public boolean refused(Exception failure) {
    return failure instanceof InvalidDestinationException;
  }

  @Override
  public JmsSubscription subscribe(Connection connection, String queue, JmsSink arrivals) {
    sink.complete(arrivals);
    return this;
  }

  @Override
  public void ack(List<Run> runs) throws JMSException {
    ackMayEnd.join();
    JMSException failure = ackFailure;
    if (failure != null) {
      throw failure;
    }
    acks.addAll(runs);
  }

  @Override
  public boolean isEnded() {
    return ended;
  }
}
