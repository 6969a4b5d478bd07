package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Access;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Tool;
import org.mqproof.comparison.Workload;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.SenderLog;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside the clients that others measured with, on one broker or cluster, in pairs.
 * {@code docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final String PERF_TEST = "com.rabbitmq:perf-test:2.22.1";
  private static final int SMALL_BYTES = 100;
  private static final int LARGE_BYTES = 1000;
  private static final int WINDOW = 3_000;
  private static final int ACK_EVERY = 500;
  private static final int TWO = 2;
  private static final int BATCH = 100;
  private static final int BACKLOG = 400_000;
  private static final int BACKLOG_AS_IN_2017 = 10_000; // that takes ten seconds as well

  private final Map<String, String> settings;
  private final String type;

  private PeerComparisonMain(Map<String, String> settings, String type) {
    this.settings = settings;
    this.type = type;
  }

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    int status =
        new Comparison(
                PeerComparisonMain.class,
                "rabbitmq",
                List.of(
                    nullBroker(),
                    flow("quorum-100", "quorum", SMALL_BYTES),
                    flow("quorum-1000", "quorum", LARGE_BYTES),
                    flow("quorum-1000-tls", "quorum", LARGE_BYTES)
                        .by(Access.PASSWORD, Access.PASSWORD),
                    flow("classic-100", "classic", SMALL_BYTES),
                    flow("classic-1000", "classic", LARGE_BYTES),
                    receive("receive-quorum", "quorum"),
                    receive("receive-classic", "classic"),
                    oneThread("one-thread-quorum", "quorum"),
                    oneThread("one-thread-classic", "classic")))
            .run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  private static Workload flow(String name, String type, int bytes) {
    return Workload.of(
        name,
        settings -> new PeerComparisonMain(settings, type).flowThroughMq(bytes),
        "PerfTest",
        settings -> new PeerComparisonMain(settings, type).flowOfPerfTest(bytes));
  }

  private static Workload nullBroker() {
    return Workload.of(
            "null-send",
            unused -> withNullBroker(PeerComparisonMain::sendStampedThroughMq),
            "PerfTest, both with a server that confirms at once",
            unused -> withNullBroker(main -> main.perfTest("null", SMALL_BYTES, 0)))
        .withoutCluster();
  }

  private static Workload receive(String name, String type) {
    return Workload.of(
        name,
        settings -> new PeerComparisonMain(settings, type).receiveThroughMq(),
        "the receiver of the 2017 study",
        settings -> new PeerComparisonMain(settings, type).receiveAsIn2017());
  }

  private static Workload oneThread(String name, String type) {
    return Workload.of(
        name,
        settings -> new PeerComparisonMain(settings, type).sendThroughMq(),
        "a client that publishes a batch and waits for its confirms",
        settings -> new PeerComparisonMain(settings, type).publishAndWaitForConfirms());
  }

  // Two senders and two receivers; window and prefetch 3,000 on both sides. Rate of receiving.

  /** The tool has a connection for each sender and each receiver; so have two {@code Mq}. */
  private Rate flowThroughMq(int bytes) throws Exception {
    Map<String, String> windows = Map.of("prefetch", "3000", "confirm.window", "3000");
    try (Mq one = connect(windows);
        Mq other = connect(windows)) {
      String queue = newQueue();
      one.createQueue(queue);
      try {
        return Load.of(
            List.of(
                () -> sendWindowed(one.sender(queue), bytes),
                () -> receiveAndAck(one.receiver(queue)),
                () -> sendWindowed(other.sender(queue), bytes),
                () -> receiveAndAck(other.receiver(queue))));
      } finally {
        one.deleteQueue(queue);
      }
    }
  }

  private static Load.Step sendWindowed(Sender sender, int bytes) {
    List<Message> batch = Load.messages(BATCH, bytes);
    CompletableFuture<?>[] open = new CompletableFuture<?>[WINDOW / batch.size()];
    Arrays.fill(open, CompletableFuture.completedFuture(null));
    int[] next = {0};
    return () -> {
      int slot = next[0]++ % open.length;
      open[slot].get(1, TimeUnit.MINUTES);
      open[slot] = sender.sendAsync(batch);
      return 0;
    };
  }

  private static Load.Step receiveAndAck(Receiver receiver) {
    List<Delivery> unacked = new ArrayList<>();
    return () -> {
      List<Delivery> batch = receiver.receive(ACK_EVERY, Duration.ofMillis(100));
      unacked.addAll(batch);
      if (unacked.size() >= ACK_EVERY || batch.isEmpty()) {
        var unused = receiver.ack(List.copyOf(unacked));
        unacked.clear();
      }
      return batch.size();
    };
  }

  /** The tool's own lines of each second, without its warm-up. */
  private Rate flowOfPerfTest(int bytes) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(Map.of())) {
      mq.createQueue(queue);
      try {
        return perfTest(queue, bytes, TWO);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private Rate perfTest(String queue, int bytes, int consumers) throws Exception {
    List<Tool.Line> lines =
        Tool.run(
            "PerfTest",
            List.of(PERF_TEST),
            List.of(),
            "com.rabbitmq.perf.PerfTest",
            List.of(
                "--uri",
                uri(),
                "--predeclared",
                "--exchange",
                "",
                "--routing-key",
                queue,
                "--queue",
                queue,
                "--producers",
                Integer.toString(TWO),
                "--consumers",
                Integer.toString(consumers),
                "--confirm",
                Integer.toString(WINDOW),
                "--qos",
                Integer.toString(WINDOW),
                "--multi-ack-every",
                Integer.toString(ACK_EVERY),
                "--flag",
                "persistent",
                "--flag",
                "mandatory",
                "--size",
                Integer.toString(bytes),
                "--time",
                Long.toString(Load.WARM_UP.plus(Load.MEASURED).toSeconds() + 1)));
    Pattern counted =
        Pattern.compile((consumers > 0 ? "received" : "confirmed") + ": ([\\d ]+) msg/s");
    List<Double> rates = new ArrayList<>();
    List<Tool.Line> seconds = new ArrayList<>();
    for (Tool.Line line : lines) {
      Matcher rate = counted.matcher(line.text());
      if (rate.find()) {
        rates.add(Double.parseDouble(rate.group(1).replace(" ", "")));
        seconds.add(line);
      }
    }
    int first = Math.toIntExact(Load.WARM_UP.toSeconds());
    int last = first + Math.toIntExact(Load.MEASURED.toSeconds());
    if (rates.size() < last) {
      throw new IllegalStateException(
          "PerfTest told the rates of %d s only".formatted(rates.size()));
    }
    return Rate.of(
        rates.subList(first, last).stream()
            .mapToDouble(Double::doubleValue)
            .average()
            .orElseThrow(),
        seconds.get(first - 1).usage(),
        seconds.get(last - 1).usage());
  }

  // Two senders to a server that keeps nothing, each message stamped and recorded in a ledger. Rate
  // of confirms.

  /** What is done while a server runs, which is a process of its own. */
  private interface Run {
    Rate with(PeerComparisonMain server) throws Exception;
  }

  private static Rate withNullBroker(Run run) throws Exception {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                NullBrokerMain.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
      Map<String, String> settings =
          Map.of(
              "addresses", "127.0.0.1:" + out.readLine(),
              "username", "guest",
              "password", "guest",
              "virtual.host", "/");
      return run.with(new PeerComparisonMain(settings, "classic"));
    } finally {
      server.destroyForcibly();
    }
  }

  private Rate sendStampedThroughMq() throws Exception {
    try (Mq mq = connect(Map.of("confirm.window", Integer.toString(WINDOW)))) {
      String queue = newQueue();
      mq.createQueue(queue);
      Ledger ledger = new Ledger();
      List<Load.Worker> workers = new ArrayList<>();
      for (int i = 0; i < TWO; i++) {
        SenderLog log = ledger.sender(i);
        workers.add(() -> sendStamped(mq.sender(queue), log));
      }
      return Load.of(workers);
    }
  }

  /** The batch whose place is used again is confirmed by then, and counts. */
  private static Load.Step sendStamped(Sender sender, SenderLog log) {
    List<List<Message>> batches = new ArrayList<>();
    for (int slot = 0; slot < WINDOW / BATCH; slot++) {
      batches.add(Stream.generate(() -> new Message(new byte[SMALL_BYTES])).limit(BATCH).toList());
    }
    CompletableFuture<?>[] open = new CompletableFuture<?>[batches.size()];
    Arrays.fill(open, CompletableFuture.completedFuture(null));
    int[] next = {0};
    return () -> {
      int slot = next[0]++ % open.length;
      open[slot].get(1, TimeUnit.MINUTES);
      List<Message> batch = batches.get(slot);
      long first = log.stamp(batch, System.nanoTime());
      open[slot] = sender.sendAsync(batch).thenRun(() -> log.confirmed(first, batch.size()));
      return batch.size();
    };
  }

  // One receiver that acks, on a queue that is filled before.

  private Rate receiveThroughMq() throws Exception {
    try (Mq mq = connect(Map.of("prefetch", "3000"))) {
      String queue = newQueue();
      mq.createQueue(queue);
      try {
        fill(mq, queue, BACKLOG);
        try (Receiver receiver = mq.receiver(queue)) {
          return Load.ofBacklog(
              BACKLOG,
              BACKLOG / 8,
              () -> {
                List<Delivery> batch = receiver.receive(1000, Duration.ofSeconds(30));
                var unused = receiver.ack(batch);
                return batch.size();
              });
        }
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  /**
   * The client of the 2017 study, with one defect mended: it asks for at most 100 messages per
   * consumer, for a quorum queue takes no other limit. It polls a buffer every 100 ms, receives up
   * to 10 messages and acks each of them.
   */
  private Rate receiveAsIn2017() throws Exception {
    try (Mq mq = connect(Map.of())) {
      String queue = newQueue();
      mq.createQueue(queue);
      try (Connection connection = client().newConnection()) {
        fill(mq, queue, BACKLOG_AS_IN_2017);
        Channel channel = connection.createChannel();
        channel.basicQos(100);
        BlockingQueue<Long> buffer = new LinkedBlockingQueue<>();
        channel.basicConsume(queue, false, new Buffering(channel, buffer));
        return Load.ofBacklog(
            BACKLOG_AS_IN_2017, BACKLOG_AS_IN_2017 / 8, () -> pollAsIn2017(channel, buffer));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static int pollAsIn2017(Channel channel, BlockingQueue<Long> buffer) throws Exception {
    List<Long> batch = new ArrayList<>();
    buffer.drainTo(batch, 10);
    if (batch.isEmpty()) {
      boolean unused = new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
    }
    for (long tag : batch) {
      channel.basicAck(tag, false);
    }
    return batch.size();
  }

  private static final class Buffering extends DefaultConsumer {

    private final BlockingQueue<Long> buffer;

    private Buffering(Channel channel, BlockingQueue<Long> buffer) {
      super(channel);
      this.buffer = buffer;
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
      buffer.add(envelope.getDeliveryTag());
    }
  }

  private static void fill(Mq mq, String queue, int count) throws Exception {
    try (Sender sender = mq.sender(queue)) {
      List<Message> batch = Load.messages(1000, SMALL_BYTES);
      for (int sent = 0; sent < count; sent += batch.size()) {
        sender.send(batch);
      }
    }
  }

  // One thread that sends batches of 1 to 10 messages.

  private Rate sendThroughMq() throws Exception {
    try (Mq mq = connect(Map.of())) {
      String queue = newQueue();
      mq.createQueue(queue);
      try {
        return Load.of(
            List.of(
                () -> {
                  Sender sender = mq.sender(queue);
                  Random random = new Random(1);
                  List<Message> messages = Load.messages(10, SMALL_BYTES);
                  return () -> {
                    List<Message> batch = messages.subList(0, 1 + random.nextInt(10));
                    sender.send(batch);
                    return batch.size();
                  };
                }));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private Rate publishAndWaitForConfirms() throws Exception {
    try (Mq mq = connect(Map.of());
        Connection connection = client().newConnection()) {
      String queue = newQueue();
      mq.createQueue(queue);
      try {
        return Load.of(
            List.of(
                () -> {
                  Channel channel = connection.createChannel();
                  channel.confirmSelect();
                  Random random = new Random(1);
                  byte[] body = new byte[SMALL_BYTES];
                  return () -> {
                    int size = 1 + random.nextInt(10);
                    for (int i = 0; i < size; i++) {
                      channel.basicPublish(
                          "", queue, true, MessageProperties.MINIMAL_PERSISTENT_BASIC, body);
                    }
                    if (!channel.waitForConfirms(60_000)) {
                      throw new IOException("a nack");
                    }
                    return size;
                  };
                }));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  // What both sides share.

  private Mq connect(Map<String, String> workload) {
    Map<String, String> all = new HashMap<>(workload);
    all.put("queue.type", type);
    all.putAll(settings);
    return MqProvider.named("rabbitmq").connect(all);
  }

  /** The node that this adapter connects to as well. */
  private String uri() {
    return "%s://%s:%s@%s/%s"
        .formatted(
            Boolean.parseBoolean(settings.get("tls")) ? "amqps" : "amqp",
            of("username"),
            of("password"),
            firstAddress(),
            URLEncoder.encode(of("virtual.host"), StandardCharsets.UTF_8));
  }

  private ConnectionFactory client() throws Exception {
    ConnectionFactory client = new ConnectionFactory();
    client.setUri(uri());
    return client;
  }

  private String firstAddress() {
    String all = of("addresses");
    int comma = all.indexOf(',');
    return comma < 0 ? all : all.substring(0, comma);
  }

  private String of(String key) {
    return Objects.requireNonNull(settings.get(key), key);
  }

  private static String newQueue() {
    return "peers-" + Long.toHexString(System.nanoTime());
  }
}
