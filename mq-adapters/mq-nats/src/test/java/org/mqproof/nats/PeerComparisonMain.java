package org.mqproof.nats;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.PublishAck;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.mqproof.Mq;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.MqClient;
import org.mqproof.comparison.QueueClient;
import org.mqproof.comparison.QueueLoad;
import org.mqproof.comparison.Rate;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;

/**
 * This adapter beside a pipeline of the vendor's Java client, on one cluster, in pairs. {@code
 * docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int BODY_BYTES = 100;
  private static final int WINDOW = 1_000;
  private static final int BACKLOG = 200_000;
  private static final int TOOL_BATCH = 500; // its default
  private static final Duration MOMENT = Duration.ofMillis(100);

  private PeerComparisonMain() {}

  /** Runs the workloads named in the arguments, or all; {@code --help} lists them. */
  public static void main(String[] args) throws Exception {
    List<Workload> workloads = new ArrayList<>();
    for (int batch : new int[] {10, 100}) {
      QueueLoad load = new QueueLoad(batch, 1, 1);
      QueueClient.Factory mq =
          settings ->
              new MqClient(connect(settings), Load.messages(batch, BODY_BYTES), WINDOW / batch);
      workloads.addAll(
          load.beside(
              mq,
              load,
              settings -> new Pipeline(settings, batch),
              BACKLOG,
              "jnats",
              "publishAsync with a window",
              "fetch, and double acks that are all under way at a time"));
    }
    if (System.getenv(NatsBench.PROGRAM) != null) {
      workloads.addAll(besideNatsBench());
    }
    int status = new Comparison(PeerComparisonMain.class, "nats", workloads).run(args);
    if (status != 0) {
      System.exit(status);
    }
  }

  /** It sends a batch when all of the one before are confirmed, and acks message by message. */
  private static List<Workload> besideNatsBench() {
    QueueLoad load = new QueueLoad(TOOL_BATCH, 1, 1);
    QueueClient.Factory mq =
        settings -> new MqClient(connect(settings), Load.messages(TOOL_BATCH, BODY_BYTES), 1);
    return List.of(
        Workload.of(
            "bench-send", load.send(mq), "nats bench js pub async", PeerComparisonMain::toolSends),
        Workload.of(
            "bench-receive",
            load.receive(mq, BACKLOG),
            "nats bench js fetch --doubleack",
            PeerComparisonMain::toolReceives));
  }

  private static Rate toolSends(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      try {
        return sendByTool(settings, queue, 2 * BACKLOG);
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static Rate sendByTool(Map<String, String> settings, String queue, int messages)
      throws Exception {
    return NatsBench.run(
        settings,
        messages,
        List.of(
            "pub",
            "async",
            queue,
            "--stream=" + queue,
            "--size=" + BODY_BYTES,
            "--batch=" + TOOL_BATCH));
  }

  private static Rate toolReceives(Map<String, String> settings) throws Exception {
    try (Mq mq = connect(settings)) {
      String queue = newQueue(mq);
      try {
        Rate unused = sendByTool(settings, queue, BACKLOG);
        Connection connection = open(settings);
        String consumer = connection.jetStreamManagement().getConsumerNames(queue).get(0);
        connection.close();
        return NatsBench.run(
            settings,
            BACKLOG,
            List.of(
                "fetch",
                "--stream=" + queue,
                "--consumer=" + consumer,
                "--batch=" + TOOL_BATCH,
                "--acks=explicit",
                "--doubleack"));
      } finally {
        mq.deleteQueue(queue);
      }
    }
  }

  private static String newQueue(Mq mq) {
    String queue = "peers-" + Long.toHexString(System.nanoTime());
    mq.createQueue(queue);
    return queue;
  }

  private static Connection open(Map<String, String> settings) throws Exception {
    String servers = requireNonNull(settings.get("servers"), "servers");
    Options.Builder options =
        Options.builder()
            .servers(("nats://" + servers.replace(",", ",nats://")).split(","))
            .maxMessagesInOutgoingQueue(-1)
            .dontForceFlushOnRequest();
    String user = settings.get("username");
    if (user != null) {
      options.userInfo(user.toCharArray(), settings.getOrDefault("password", "").toCharArray());
    }
    return Nats.connect(options.build());
  }

  private static Mq connect(Map<String, String> settings) {
    return MqProvider.named("nats").connect(settings);
  }

  /**
   * One connection, as the adapter has, to a stream and a consumer that the adapter has made, and
   * as many messages and acks under way.
   */
  private static final class Pipeline implements QueueClient {

    private static final byte[] ACK = "+ACK".getBytes(US_ASCII);
    private static final int OPEN_ACKS = 4; // batches of them, as MqClient has

    private final Mq mq;
    private final String queue;
    private final Connection connection;
    private final JetStream stream;
    private final int batch;

    Pipeline(Map<String, String> settings, int batch) throws Exception {
      this.batch = batch;
      mq = connect(settings);
      queue = newQueue(mq);
      connection = open(settings);
      stream = connection.jetStream();
    }

    @Override
    public Load.Step sender() {
      byte[] body = Load.messages(1, BODY_BYTES).get(0).body();
      Deque<List<CompletableFuture<PublishAck>>> open = new ArrayDeque<>();
      return () -> {
        List<CompletableFuture<PublishAck>> sent = new ArrayList<>(batch);
        for (int i = 0; i < batch; i++) {
          sent.add(stream.publishAsync(queue, body));
        }
        open.add(sent);
        return open.size() < WINDOW / batch ? 0 : awaitAll(open.remove());
      };
    }

    @Override
    public Load.Step receiver() throws Exception {
      String consumer = connection.jetStreamManagement().getConsumerNames(queue).get(0);
      JetStreamSubscription subscription =
          stream.subscribe(null, PullSubscribeOptions.bind(queue, consumer));
      Deque<List<CompletableFuture<Message>>> open = new ArrayDeque<>();
      return () -> {
        List<CompletableFuture<Message>> acks = new ArrayList<>(batch);
        for (Message message : subscription.fetch(batch, MOMENT)) {
          acks.add(connection.request(message.getReplyTo(), ACK));
        }
        open.add(acks);
        return acks.isEmpty() || open.size() >= OPEN_ACKS ? awaitAll(open.remove()) : 0;
      };
    }

    private static <T> int awaitAll(List<CompletableFuture<T>> answers) throws Exception {
      for (CompletableFuture<T> answer : answers) {
        T unused = answer.get(1, TimeUnit.MINUTES);
      }
      return answers.size();
    }

    @Override
    public void close() throws Exception {
      connection.close();
      mq.deleteQueue(queue);
      mq.close();
    }
  }
}
