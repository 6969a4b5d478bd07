package org.mqproof.rocketmq;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageRequestMode;
import org.mqproof.Mq;
import org.mqproof.comparison.Comparison;
import org.mqproof.comparison.Load;
import org.mqproof.comparison.MqClient;
import org.mqproof.comparison.QueueClient;
import org.mqproof.comparison.QueueLoad;
import org.mqproof.comparison.Workload;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Settings;

/**
 * This adapter beside the vendor's producer and its push consumer, on one cluster, in pairs. {@code
 * docs/comparisons.md} has the command and what it printed.
 */
final class PeerComparisonMain {

  private static final int BODY_BYTES = 100;
  private static final int WINDOW = 1_000;
  private static final int BACKLOG = 100_000;
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
              settings -> new Vendor(settings, batch),
              BACKLOG,
              "RocketMQ's client",
              "batches with a callback, and a window",
              "a push consumer in pop mode, whose acks are not awaited"));
    }
    // Always: the threads of the vendor's consumer in pop mode outlive its shutdown, and are no
    // daemons.
    System.exit(new Comparison(PeerComparisonMain.class, "rocketmq", workloads).run(args));
  }

  private static Mq connect(Map<String, String> settings) {
    return MqProvider.named("rocketmq").connect(settings);
  }

  /** One producer and one push consumer for a topic that the adapter has made. */
  private static final class Vendor implements QueueClient {

    private static final long BOUND_MILLIS = 30_000;
    private static final int MOST_AT_A_TIME = 32; // of the broker, and of the consumer

    private final Map<String, String> settings;
    private final Mq mq;
    private final String queue;
    private final String topic;
    private final String nameServers;
    private final int batch;
    private final DefaultMQProducer producer;

    Vendor(Map<String, String> settings, int batch) throws Exception {
      this.settings = settings;
      this.batch = batch;
      mq = connect(settings);
      queue = "peers-" + Long.toHexString(System.nanoTime());
      mq.createQueue(queue);
      topic = new Topics.Latest(Topics.base(queue), 1, true).topic();
      nameServers = requireNonNull(settings.get("name.servers"), "name.servers").replace(',', ';');
      producer = new DefaultMQProducer("peers");
      producer.setNamesrvAddr(nameServers);
      producer.setRetryTimesWhenSendAsyncFailed(0);
      producer.setSendMsgTimeout((int) BOUND_MILLIS);
      producer.setCompressMsgBodyOverHowmuch(Integer.MAX_VALUE);
      producer.start();
    }

    @Override
    public Load.Step sender() {
      byte[] body = Load.messages(1, BODY_BYTES).get(0).body();
      Deque<CompletableFuture<SendResult>> open = new ArrayDeque<>();
      return () -> {
        List<Message> messages = new ArrayList<>(batch);
        for (int i = 0; i < batch; i++) {
          messages.add(new Message(topic, body));
        }
        CompletableFuture<SendResult> answer = new CompletableFuture<>();
        producer.send(messages, completing(answer));
        open.add(answer);
        return open.size() < WINDOW / batch ? 0 : await(open.remove());
      };
    }

    private static SendCallback completing(CompletableFuture<SendResult> answer) {
      return new SendCallback() {
        @Override
        public void onSuccess(SendResult result) {
          answer.complete(result);
        }

        @Override
        public void onException(Throwable why) {
          answer.completeExceptionally(why);
        }
      };
    }

    private int await(CompletableFuture<SendResult> answer) throws Exception {
      SendResult result = answer.get(BOUND_MILLIS, TimeUnit.MILLISECONDS);
      if (result.getSendStatus() != SendStatus.SEND_OK) {
        throw new IllegalStateException("the broker says " + result.getSendStatus());
      }
      return batch;
    }

    /** The vendor's consumer hands out messages; a step counts what was consumed meanwhile. */
    @Override
    public Load.Step receiver() throws Exception {
      Semaphore consumed = new Semaphore(0);
      DefaultMQPushConsumer consumer = consumer(consumed);
      return new Load.Step() {
        @Override
        public int messages() throws InterruptedException {
          if (!consumed.tryAcquire(MOMENT.toMillis(), TimeUnit.MILLISECONDS)) {
            return 0;
          }
          return 1 + consumed.drainPermits();
        }

        @Override
        public void close() {
          consumer.shutdown();
        }
      };
    }

    private DefaultMQPushConsumer consumer(Semaphore consumed) throws Exception {
      try (Brokers brokers =
          new Brokers(new RocketMqSettings(Settings.of(new RocketMqProvider(), settings)))) {
        boolean unused =
            brokers.ask(
                (client, leader, millis) -> {
                  client.setMessageRequestMode(
                      leader, topic, Topics.GROUP, MessageRequestMode.POP, 0, millis);
                  return true;
                });
      }
      DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(Topics.GROUP);
      consumer.setNamesrvAddr(nameServers);
      consumer.setInstanceName(Long.toHexString(System.nanoTime()));
      consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
      consumer.setClientRebalance(false); // the broker's mode: pop
      consumer.setPopBatchNums(MOST_AT_A_TIME);
      consumer.setConsumeMessageBatchMaxSize(MOST_AT_A_TIME);
      consumer.subscribe(topic, "*");
      consumer.registerMessageListener(
          (MessageListenerConcurrently)
              (messages, context) -> {
                consumed.release(messages.size());
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
              });
      try {
        consumer.start();
      } catch (MQClientException e) {
        consumer.shutdown();
        throw e;
      }
      return consumer;
    }

    @Override
    public void close() {
      producer.shutdown();
      mq.deleteQueue(queue);
      mq.close();
    }
  }
}
