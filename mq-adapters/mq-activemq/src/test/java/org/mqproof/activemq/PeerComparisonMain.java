package org.mqproof.activemq;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside JMS clients that confirm each message for itself, on one pair with a shared
 * store. {@code docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int BYTES = 100;
  private static final int PREFILLED = 100_000;
  private static final int PREFILLED_FOR_ONE_BY_ONE = 15_000;
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final int BATCH = 100;

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    IntUnaryOperator upToTen = random -> 1 + Math.floorMod(random, 10);
    IntUnaryOperator hundred = random -> BATCH;
    int status =
        new Comparison(
                PeerComparisonMain.class,
                "activemq",
                List.of(
                    Workload.of(
                        "send-10",
                        settings -> sendThroughMq(settings, upToTen),
                        "one synchronous send per message",
                        settings -> sendOneByOne(settings, upToTen)),
                    Workload.of(
                        "send-100",
                        settings -> sendThroughMq(settings, hundred),
                        "one synchronous send per message",
                        settings -> sendOneByOne(settings, hundred)),
                    Workload.of(
                        "receive",
                        PeerComparisonMain::receiveThroughMq,
                        "one transaction per message",
                        PeerComparisonMain::receiveOneByOne)))
            .run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  // One thread that sends batches.

  private static Rate sendThroughMq(Map<String, String> settings, IntUnaryOperator size)
      throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      try {
        return Load.of(
            List.of(
                () -> {
                  Sender sender = mq.sender(queue);
                  Random random = new Random();
                  List<Message> messages = Load.messages(BATCH, BYTES);
                  return () -> {
                    List<Message> batch = messages.subList(0, size.applyAsInt(random.nextInt()));
                    sender.send(batch);
                    return batch.size();
                  };
                }));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** What the client does by default: each send of a persistent message waits for the broker. */
  private static Rate sendOneByOne(Map<String, String> settings, IntUnaryOperator size)
      throws Exception {
    try (Mq mq = connect(settings);
        Connection connection = client(settings)) {
      String queue = newQueue(mq);
      try {
        return Load.of(
            List.of(
                () -> {
                  Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                  MessageProducer producer = session.createProducer(session.createQueue(queue));
                  producer.setDeliveryMode(DeliveryMode.PERSISTENT);
                  Random random = new Random();
                  byte[] body = new byte[BYTES];
                  return () -> {
                    int count = size.applyAsInt(random.nextInt());
                    for (int i = 0; i < count; i++) {
                      BytesMessage message = session.createBytesMessage();
                      message.writeBytes(body);
                      producer.send(message);
                    }
                    return count;
                  };
                }));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  // One receiver that acks, on a queue that is filled before; both with the default prefetch,
  // 1,000.

  private static Rate receiveThroughMq(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = filledQueue(mq, PREFILLED);
      try (Receiver receiver = mq.receiver(queue)) {
        return Load.ofBacklog(
            PREFILLED,
            PREFILLED / 3,
            () -> {
              List<Delivery> batch = receiver.receive(10, LONG);
              var unused = receiver.ack(batch);
              return batch.size();
            });
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static Rate receiveOneByOne(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = filledQueue(mq, PREFILLED_FOR_ONE_BY_ONE);
      try (Connection connection = client(settings);
          Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
          MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
        byte[] body = new byte[BYTES];
        return Load.ofBacklog(
            PREFILLED_FOR_ONE_BY_ONE,
            PREFILLED_FOR_ONE_BY_ONE / 3,
            () -> {
              BytesMessage message =
                  (BytesMessage)
                      Objects.requireNonNull(consumer.receive(LONG.toMillis()), "a message");
              int read = message.readBytes(body);
              session.commit();
              return read == BYTES ? 1 : 0;
            });
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  // What both sides share.

  private static String filledQueue(Mq mq, int count) throws InterruptedException {
    String queue = newQueue(mq);
    try (Sender sender = mq.sender(queue)) {
      List<Message> batch = Load.messages(1_000, BYTES);
      for (int sent = 0; sent < count; sent += batch.size()) {
        sender.send(batch);
      }
    }
    return queue;
  }

  /** The nodes that the adapter knows; the client finds the one that serves. */
  private static Connection client(Map<String, String> settings) throws Exception {
    String nodes = "tcp://" + of(settings, "addresses").replace(",", ",tcp://");
    Connection connection =
        new ActiveMQConnectionFactory("failover:(" + nodes + ")?randomize=false")
            .createConnection(of(settings, "username"), of(settings, "password"));
    connection.start();
    return connection;
  }

  private static Mq connect(Map<String, String> settings) {
    return MqProvider.named("activemq").connect(settings);
  }

  private static String of(Map<String, String> settings, String key) {
    return Objects.requireNonNull(settings.get(key), key);
  }

  private static String newQueue(Mq mq) {
    String queue = "peers-" + Long.toHexString(System.nanoTime());
    mq.createQueue(queue);
    return queue;
  }
}
