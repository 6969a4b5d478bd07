package org.mqproof.artemis;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.process.MavenClassPath;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Tool;
import org.mqproof.comparison.Usage;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside plain JMS clients and the vendor's own tool, on one replicating pair. {@code
 * docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final String TOOL = "org.apache.artemis:apache-artemis:tar.gz:bin:2.56.0";
  private static final int SMALL_BYTES = 100;
  private static final int TOOL_BYTES = 1024; // the tool's default
  private static final int PENDING = 1_000;
  private static final int PREFILLED = 300_000;
  private static final int SETTLED = 100_000;

  /** Ten times the default window of 1 MiB, which the other client has. */
  private static final Map<String, String> READ_AHEAD =
      Map.of("prefetch", "50000", "consumer.window.bytes", Integer.toString(10 << 20));

  private static final Duration LONG = Duration.ofSeconds(30);

  /** What the adapter sets as well: nobody reads them. */
  private static final boolean WITHOUT_IDS_AND_TIMESTAMPS = true;

  private static final Pattern PHASE = Pattern.compile("--- warmup (true|false)");
  private static final Pattern RECEIVED = Pattern.compile("--- received: *(\\d+) msg/sec");

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    int status =
        new Comparison(
                PeerComparisonMain.class,
                "artemis",
                List.of(
                    Workload.of(
                        "one-thread",
                        settings -> sendThroughMq(settings, 1),
                        "a JMS client that commits each batch",
                        settings -> sendAndCommit(settings, 1, "")),
                    Workload.of(
                        "one-thread-batched",
                        settings -> sendThroughMq(settings, 1),
                        "the same with the adapter's batchDelay",
                        settings -> sendAndCommit(settings, 1, "?batchDelay=50")),
                    Workload.of(
                        "25-threads",
                        settings -> sendThroughMq(settings, 25),
                        "25 JMS clients that commit each batch",
                        settings -> sendAndCommit(settings, 25, "")),
                    Workload.of(
                        "25-threads-batched",
                        settings -> sendThroughMq(settings, 25),
                        "the same with the adapter's batchDelay",
                        settings -> sendAndCommit(settings, 25, "?batchDelay=50")),
                    Workload.of(
                        "flow",
                        PeerComparisonMain::flowThroughMq,
                        "artemis perf client",
                        PeerComparisonMain::perfClient),
                    Workload.of(
                        "receive-10",
                        settings -> receiveThroughMq(settings, 10),
                        "a CLIENT_ACKNOWLEDGE consumer that acks every 10 messages",
                        settings -> receiveAndAcknowledge(settings, 10)),
                    Workload.of(
                        "receive-1000",
                        settings -> receiveThroughMq(settings, 1_000),
                        "a CLIENT_ACKNOWLEDGE consumer that acks every 1,000 messages",
                        settings -> receiveAndAcknowledge(settings, 1_000))))
            .run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  // Sending, batches of 1 to 10 messages.

  private static Rate sendThroughMq(Map<String, String> settings, int threads) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      try {
        return Load.of(
            Collections.nCopies(threads, Load.sendingSmallBatches(mq, queue, SMALL_BYTES)));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** Each thread has a connection, a session and a producer, as in the study of 2017. */
  private static Rate sendAndCommit(Map<String, String> settings, int threads, String options)
      throws Exception {
    List<Connection> connections = Collections.synchronizedList(new ArrayList<>());
    try (Mq mq = connect(settings);
        ActiveMQConnectionFactory factory =
            new ActiveMQConnectionFactory(url(settings) + options)) {
      String queue = newQueue(mq);
      try {
        return Load.of(
            Collections.nCopies(
                threads,
                () -> {
                  Connection connection = factory.createConnection();
                  connections.add(connection);
                  Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
                  MessageProducer producer = session.createProducer(session.createQueue(queue));
                  producer.setDeliveryMode(DeliveryMode.PERSISTENT);
                  producer.setDisableMessageID(WITHOUT_IDS_AND_TIMESTAMPS);
                  producer.setDisableMessageTimestamp(WITHOUT_IDS_AND_TIMESTAMPS);
                  Random random = new Random();
                  byte[] body = new byte[SMALL_BYTES];
                  return () -> {
                    int size = 1 + random.nextInt(10);
                    for (int i = 0; i < size; i++) {
                      BytesMessage message = session.createBytesMessage();
                      message.writeBytes(body);
                      producer.send(message);
                    }
                    session.commit();
                    return size;
                  };
                }));
      } finally {
        for (Connection connection : connections) {
          connection.close();
        }
        mq.deleteQueue(queue);
      }
    }
  }

  // One sender with at most 1,000 unconfirmed messages of 1,024 bytes, one receiver. Rate of
  // receiving.

  private static Rate flowThroughMq(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      try {
        return Load.of(
            List.of(
                () -> {
                  Sender sender = mq.sender(queue);
                  List<Message> batch = Load.messages(100, TOOL_BYTES);
                  CompletableFuture<?>[] open = new CompletableFuture<?>[PENDING / batch.size()];
                  Arrays.fill(open, CompletableFuture.completedFuture(null));
                  int[] next = {0};
                  return () -> {
                    int slot = next[0]++ % open.length;
                    open[slot].get(1, TimeUnit.MINUTES);
                    open[slot] = sender.sendAsync(batch);
                    return 0;
                  };
                },
                () -> {
                  Receiver receiver = mq.receiver(queue);
                  return () -> {
                    List<Delivery> batch = receiver.receive(100, Duration.ofMillis(100));
                    var unused = receiver.ack(batch);
                    return batch.size();
                  };
                }));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static Rate perfClient(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      Path installation = Files.createTempDirectory("artemis-perf");
      try {
        return rateOf(runPerfClient(install(installation), url(settings), queue));
      } finally {
        delete(installation);
        mq.deleteQueue(queue);
      }
    }
  }

  private static List<Tool.Line> runPerfClient(String classPath, String url, String queue)
      throws Exception {
    long warmUp = Load.WARM_UP.toSeconds();
    return Tool.run(
        "artemis perf client",
        classPath,
        "org.apache.activemq.artemis.cli.Artemis",
        List.of(
            "perf",
            "client",
            "--url",
            url,
            "--persistent",
            "--max-pending",
            Integer.toString(PENDING),
            "--message-size",
            Integer.toString(TOOL_BYTES),
            "--warmup",
            Long.toString(warmUp),
            "--duration",
            Long.toString(warmUp + Load.MEASURED.toSeconds() + 1),
            "queue://" + queue));
  }

  /** Unpacks the vendor's distribution: its tool is no artifact that every mirror has. */
  private static String install(Path directory) throws Exception {
    Path distribution =
        MavenClassPath.resolve("Artemis", List.of(TOOL), List.of("*:*"), System.err::println)
            .get(0);
    Process tar =
        new ProcessBuilder("tar", "xzf", distribution.toString(), "-C", directory.toString())
            .inheritIO()
            .start();
    if (tar.waitFor() != 0) {
      throw new IOException("tar cannot unpack " + distribution);
    }
    try (Stream<Path> unpacked = Files.list(directory)) {
      return unpacked.findFirst().orElseThrow().resolve("lib") + File.separator + "*";
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** The tool's own lines of each second after its warm-up. */
  private static Rate rateOf(List<Tool.Line> lines) {
    List<Double> rates = new ArrayList<>();
    List<Usage> used = new ArrayList<>();
    boolean warm = false;
    for (Tool.Line line : lines) {
      Matcher phase = PHASE.matcher(line.text());
      if (phase.find()) {
        warm = phase.group(1).equals("false");
      }
      Matcher received = RECEIVED.matcher(line.text());
      if (warm && received.find() && used.size() <= Load.MEASURED.toSeconds()) {
        rates.add(Double.parseDouble(received.group(1)));
        used.add(line.usage());
      }
    }
    if (used.size() <= Load.MEASURED.toSeconds()) {
      throw new IllegalStateException("artemis perf client told no rate: " + lines);
    }
    // The first line ends the second before those that count.
    return Rate.of(
        rates.stream().skip(1).mapToDouble(Double::doubleValue).average().orElseThrow(),
        used.get(0),
        used.get(used.size() - 1));
  }

  // One receiver that acks, on a queue that is filled before.

  private static Rate receiveThroughMq(Map<String, String> settings, int batch) throws Exception {
    Map<String, String> all = new HashMap<>(READ_AHEAD);
    all.putAll(settings);
    try (Mq mq = connect(all)) {
      String queue = newQueue(mq);
      try (Receiver receiver = mq.receiver(queue)) {
        return secondBacklog(
            mq,
            queue,
            () -> {
              List<Delivery> received = receiver.receive(batch, LONG);
              var unused = receiver.ack(received);
              return received.size();
            });
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** Its acks do not wait for the broker either: blockOnAcknowledge is false by default. */
  private static Rate receiveAndAcknowledge(Map<String, String> settings, int batch)
      throws Exception {
    try (Mq mq = connect(settings);
        ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url(settings))) {
      String queue = newQueue(mq);
      try (Connection connection = factory.createConnection();
          Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
          MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
        connection.start();
        return secondBacklog(mq, queue, () -> receiveBatch(consumer, batch));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /** What is waited for with the last batch is there: the sizes of all of them divide the count. */
  private static int receiveBatch(MessageConsumer consumer, int batch) throws JMSException {
    List<byte[]> bodies = new ArrayList<>(batch);
    for (int i = 1; i <= batch; i++) {
      BytesMessage message =
          (BytesMessage) Objects.requireNonNull(consumer.receive(LONG.toMillis()), "a message");
      byte[] body = new byte[Math.toIntExact(message.getBodyLength())];
      if (message.readBytes(body) != body.length) {
        throw new JMSException("a body ended early");
      }
      bodies.add(body);
      if (i == batch) {
        message.acknowledge(); // and with it all before
      }
    }
    return bodies.size();
  }

  // What both sides share.

  /** The first one compiles the client: its three seconds are all that a backlog lasts. */
  private static Rate secondBacklog(Mq mq, String queue, Load.Step step) throws Exception {
    fill(mq, queue);
    Rate unused = Load.ofBacklog(PREFILLED, SETTLED, step);
    fill(mq, queue);
    return Load.ofBacklog(PREFILLED, SETTLED, step);
  }

  private static void fill(Mq mq, String queue) throws InterruptedException {
    try (Sender sender = mq.sender(queue)) {
      List<Message> batch = Load.messages(1_000, SMALL_BYTES);
      for (int sent = 0; sent < PREFILLED; sent += batch.size()) {
        sender.send(batch);
      }
    }
  }

  private static Mq connect(Map<String, String> settings) {
    return MqProvider.named("artemis").connect(settings);
  }

  /** The nodes that the adapter knows; one of them listens. */
  private static String url(Map<String, String> settings) {
    String addresses = Objects.requireNonNull(settings.get("addresses"), "addresses");
    return "(tcp://" + addresses.replace(",", ",tcp://") + ")";
  }

  private static String newQueue(Mq mq) {
    String queue = "peers-" + Long.toHexString(System.nanoTime());
    mq.createQueue(queue);
    return queue;
  }
}
