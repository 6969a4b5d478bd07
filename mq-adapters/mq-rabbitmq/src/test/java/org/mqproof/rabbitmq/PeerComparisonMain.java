package org.mqproof.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.ClusterProvider;
import org.mqproof.cluster.MavenClassPath;
import org.mqproof.cluster.Tuning;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside the clients that others measured with, on one three-node cluster, in pairs.
 *
 * <p>Prints, for each workload, the rate of both sides in every pair and the median of the ratios.
 * Only the ratios travel to another machine. Run by hand, never as a test: a rate proves nothing in
 * a build that shares its cores.
 */
final class PeerComparisonMain {

  private static final Duration WARM_UP = Duration.ofSeconds(4);
  private static final Duration MEASURED = Duration.ofSeconds(8);
  private static final String PERF_TEST = "com.rabbitmq:perf-test:2.22.1";
  private static final int SMALL_BYTES = 100;
  private static final int LARGE_BYTES = 1000;
  private static final int WINDOW = 3_000;
  private static final int TWO = 2;

  /** One side of a pair: runs once and returns messages per second. */
  private interface Side {
    double rate() throws Exception;
  }

  private final Map<String, String> cluster;
  private final int pairs;

  private PeerComparisonMain(Map<String, String> cluster, int pairs) {
    this.cluster = cluster;
    this.pairs = pairs;
  }

  /**
   * Runs the workloads named in the arguments, or all: quorum-100 quorum-1000 classic-100
   * classic-1000 (two senders and two receivers), receive-quorum receive-classic, one-thread.
   * {@code -Dpairs=N} says how many pairs (5).
   */
  public static void main(String[] args) throws Exception {
    List<String> workloads =
        args.length > 0
            ? List.of(args)
            : List.of(
                "quorum-100",
                "quorum-1000",
                "classic-100",
                "classic-1000",
                "receive-quorum",
                "receive-classic",
                "one-thread");
    try (Cluster cluster = ClusterProvider.named("rabbitmq").start(Tuning.DEFAULT)) {
      PeerComparisonMain comparison =
          new PeerComparisonMain(cluster.settings(), Integer.getInteger("pairs", 5));
      for (String workload : workloads) {
        comparison.run(workload);
      }
    }
  }

  private void run(String workload) throws Exception {
    switch (workload) {
      case "quorum-100" -> compareFlow(workload, "quorum", SMALL_BYTES);
      case "quorum-1000" -> compareFlow(workload, "quorum", LARGE_BYTES);
      case "classic-100" -> compareFlow(workload, "classic", SMALL_BYTES);
      case "classic-1000" -> compareFlow(workload, "classic", LARGE_BYTES);
      case "receive-quorum" -> compareReceive(workload, "quorum", 400_000);
      case "receive-classic" -> compareReceive(workload, "classic", 400_000);
      case "one-thread" ->
          compare(
              workload,
              () -> sendThroughMq("quorum"),
              "a client that publishes a batch and waits for its confirms",
              () -> publishAndWaitForConfirms("quorum"));
      default -> throw new IllegalArgumentException("no workload " + workload);
    }
  }

  private void compareFlow(String workload, String type, int bytes) throws Exception {
    compare(
        workload, () -> flowThroughMq(type, bytes), "PerfTest", () -> flowOfPerfTest(type, bytes));
  }

  private void compareReceive(String workload, String type, int prefilled) throws Exception {
    compare(
        workload,
        () -> receiveThroughMq(type, prefilled),
        "the receiver of the 2017 study",
        () -> receiveAsIn2017(type));
  }

  private void compare(String workload, Side ours, String peer, Side theirs) throws Exception {
    List<Double> ratios = new ArrayList<>();
    System.out.printf("%n%s: mq-rabbitmq against %s%n", workload, peer);
    // Brokers and disks that are cold favour whoever comes second: a pair that does not count.
    ours.rate();
    theirs.rate();
    for (int pair = 1; pair <= pairs; pair++) {
      // The order alternates, so that a machine that slows down favours neither side.
      boolean oursFirst = pair % 2 == 1;
      double first = (oursFirst ? ours : theirs).rate();
      double second = (oursFirst ? theirs : ours).rate();
      double our = oursFirst ? first : second;
      double their = oursFirst ? second : first;
      ratios.add(our / their);
      System.out.printf(
          Locale.ROOT,
          "  pair %d: %,12.0f against %,12.0f msgs/s, ratio %.2f%n",
          pair,
          our,
          their,
          our / their);
    }
    Collections.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "  median ratio %.2f (from %.2f to %.2f)%n",
        ratios.get(ratios.size() / 2),
        ratios.get(0),
        ratios.get(ratios.size() - 1));
  }

  // Two senders and two receivers; window and prefetch 3,000 on both sides. Rate of receiving.

  private double flowThroughMq(String type, int bytes) throws Exception {
    try (Mq mq = connect(type, Map.of("prefetch", "3000", "confirm.window", "3000"))) {
      String queue = newQueue();
      mq.createQueue(queue);
      LongAdder received = new LongAdder();
      List<Worker> workers = new ArrayList<>();
      for (int i = 0; i < TWO; i++) {
        workers.add(() -> sendWindowed(mq.sender(queue), bytes));
        workers.add(() -> receiveAndAck(mq.receiver(queue), received));
      }
      try {
        return rateOf(workers, received);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static Step sendWindowed(Sender sender, int bytes) {
    List<Message> batch = messages(100, bytes);
    CompletableFuture<?>[] open = new CompletableFuture<?>[WINDOW / batch.size()];
    Arrays.fill(open, CompletableFuture.completedFuture(null));
    int[] next = {0};
    return () -> {
      int slot = next[0]++ % open.length;
      open[slot].get(1, TimeUnit.MINUTES);
      open[slot] = sender.sendAsync(batch);
    };
  }

  private static Step receiveAndAck(Receiver receiver, LongAdder received) {
    return () -> {
      List<Delivery> batch = receiver.receive(500, Duration.ofMillis(100));
      var unused = receiver.ack(batch);
      received.add(batch.size());
    };
  }

  /** The tool's own lines of each second, without its warm-up. */
  private double flowOfPerfTest(String type, int bytes) throws Exception {
    String queue = newQueue();
    try (Mq mq = connect(type, Map.of())) {
      mq.createQueue(queue);
      try {
        return perfTest(queue, bytes);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private double perfTest(String queue, int bytes) throws Exception {
    long seconds = WARM_UP.plus(MEASURED).toSeconds();
    Process tool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                tools(),
                "com.rabbitmq.perf.PerfTest",
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
                "2",
                "--consumers",
                "2",
                "--confirm",
                Integer.toString(WINDOW),
                "--qos",
                Integer.toString(WINDOW),
                "--multi-ack-every",
                "500",
                "--flag",
                "persistent",
                "--flag",
                "mandatory",
                "--size",
                Integer.toString(bytes),
                "--time",
                Long.toString(seconds))
            .redirectErrorStream(true)
            .start();
    List<Double> rates = new ArrayList<>();
    StringBuilder said = new StringBuilder();
    Pattern received = Pattern.compile("received: ([\\d ]+) msg/s");
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(tool.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        Matcher rate = received.matcher(line);
        if (rate.find()) {
          rates.add(Double.parseDouble(rate.group(1).replace(" ", "")));
        } else {
          said.append(line).append('\n');
        }
      }
    }
    if (!tool.waitFor(1, TimeUnit.MINUTES) || tool.exitValue() != 0 || rates.size() < 6) {
      throw new IllegalStateException("PerfTest failed: " + said);
    }
    List<Double> measured = rates.subList((int) WARM_UP.toSeconds(), rates.size() - 1);
    return measured.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  /** The tool from its own artifact. */
  private static String tools() {
    return MavenClassPath.resolve(
            "RabbitMQ's PerfTest", List.of(PERF_TEST), List.of(), System.err::println)
        .stream()
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  // One receiver that acks, on a queue that is filled before.

  private double receiveThroughMq(String type, int count) throws Exception {
    try (Mq mq = connect(type, Map.of("prefetch", "3000"))) {
      String queue = newQueue();
      mq.createQueue(queue);
      try {
        fill(mq, queue, count);
        try (Receiver receiver = mq.receiver(queue)) {
          return receiveRate(
              count,
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
  private double receiveAsIn2017(String type) throws Exception {
    int count = 10_000;
    try (Mq mq = connect(type, Map.of())) {
      String queue = newQueue();
      mq.createQueue(queue);
      try (Connection connection = client().newConnection()) {
        fill(mq, queue, count);
        Channel channel = connection.createChannel();
        channel.basicQos(100);
        BlockingQueue<Long> buffer = new LinkedBlockingQueue<>();
        channel.basicConsume(queue, false, new Buffering(channel, buffer));
        return receiveRate(count, () -> pollAsIn2017(channel, buffer));
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
      List<Message> batch = messages(1000, SMALL_BYTES);
      for (int sent = 0; sent < count; sent += batch.size()) {
        sender.send(batch);
      }
    }
  }

  /** From the first eighth of the messages, when the code is warm, to the last. */
  private static double receiveRate(int count, Counting step) throws Exception {
    long from = 0;
    int received = 0;
    int before = 0;
    while (received < count) {
      received += step.messages();
      if (from == 0 && received >= count / 8) {
        from = System.nanoTime();
        before = received;
      }
    }
    return (received - before) * 1e9 / (System.nanoTime() - from);
  }

  // One thread that sends batches of 1 to 10 messages.

  private double sendThroughMq(String type) throws Exception {
    try (Mq mq = connect(type, Map.of())) {
      String queue = newQueue();
      mq.createQueue(queue);
      LongAdder sent = new LongAdder();
      try {
        return rateOf(
            List.of(
                () -> {
                  Sender sender = mq.sender(queue);
                  Random random = new Random(1);
                  List<Message> messages = messages(10, SMALL_BYTES);
                  return () -> {
                    List<Message> batch = messages.subList(0, 1 + random.nextInt(10));
                    sender.send(batch);
                    sent.add(batch.size());
                  };
                }),
            sent);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private double publishAndWaitForConfirms(String type) throws Exception {
    try (Mq mq = connect(type, Map.of());
        Connection connection = client().newConnection()) {
      String queue = newQueue();
      mq.createQueue(queue);
      LongAdder sent = new LongAdder();
      try {
        return rateOf(
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
                    sent.add(size);
                  };
                }),
            sent);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  // What both sides share.

  /** One call that moves messages. */
  private interface Step {
    void run() throws Exception;
  }

  /** One call and how many messages it moved. */
  private interface Counting {
    int messages() throws Exception;
  }

  /** Makes the step that one thread repeats. */
  private interface Worker {
    Step start() throws Exception;
  }

  /** What is counted per second, after the warm-up, while each worker has a thread. */
  private static double rateOf(List<Worker> workers, LongAdder counted) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(workers.size());
    AtomicBoolean stop = new AtomicBoolean();
    try {
      List<Future<?>> running = new ArrayList<>();
      for (Worker worker : workers) {
        running.add(
            pool.submit(
                () -> {
                  Step step = worker.start();
                  while (!stop.get()) {
                    step.run();
                  }
                  return null;
                }));
      }
      CountDownLatch never = new CountDownLatch(1);
      boolean unused = never.await(WARM_UP.toMillis(), TimeUnit.MILLISECONDS);
      long before = counted.sum();
      long from = System.nanoTime();
      unused = never.await(MEASURED.toMillis(), TimeUnit.MILLISECONDS);
      double rate = (counted.sum() - before) * 1e9 / (System.nanoTime() - from);
      stop.set(true);
      for (Future<?> thread : running) {
        thread.get(1, TimeUnit.MINUTES); // a side that failed has no rate
      }
      return rate;
    } finally {
      stop.set(true);
      pool.shutdownNow();
    }
  }

  private static List<Message> messages(int count, int bytes) {
    byte[] body = new byte[bytes];
    new Random(bytes).nextBytes(body);
    return Collections.nCopies(count, new Message(body));
  }

  private Mq connect(String type, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(cluster);
    all.put("queue.type", type);
    return MqProvider.named("rabbitmq").connect(all);
  }

  /** The node that this adapter connects to as well. */
  private String uri() {
    return "amqp://%s:%s@%s/%s"
        .formatted(
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
    return Objects.requireNonNull(cluster.get(key), key);
  }

  private static String newQueue() {
    return "peers-" + Long.toHexString(System.nanoTime());
  }
}
