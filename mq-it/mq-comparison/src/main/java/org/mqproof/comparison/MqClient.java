package org.mqproof.comparison;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;

/** An adapter as a client of one queue. Thread-safe, as {@link QueueClient} says. */
public final class MqClient implements QueueClient {

  private static final Duration MOMENT = Duration.ofMillis(100);
  private static final int OPEN_ACKS = 4;

  private final Mq mq;
  private final String queue = "peers-" + Long.toHexString(System.nanoTime());
  private final List<Message> batch;
  private final int openBatches;

  /**
   * Makes a queue.
   *
   * @param mq closed with this client
   * @param batch what is sent at a time; as many are received at a time
   * @param openBatches most batches of one sender that are not confirmed yet
   */
  public MqClient(Mq mq, List<Message> batch, int openBatches) {
    this.mq = mq;
    this.batch = List.copyOf(batch);
    this.openBatches = openBatches;
    mq.createQueue(queue);
  }

  @Override
  public Load.Step sender() {
    Sender sender = mq.sender(queue);
    Window open = new Window(openBatches);
    return () -> open.add(sender.sendAsync(batch), batch.size());
  }

  @Override
  public Load.Step receiver() {
    Receiver receiver = mq.receiver(queue);
    Window open = new Window(OPEN_ACKS);
    return () -> {
      List<Delivery> deliveries = receiver.receive(batch.size(), MOMENT);
      return open.add(receiver.ack(deliveries), deliveries.size());
    };
  }

  @Override
  public void close() {
    try (mq) {
      mq.deleteQueue(queue);
    }
  }

  /** What is under way. One more waits for the oldest. */
  private static final class Window {

    private record Open(CompletableFuture<?> future, int messages) {}

    private final Deque<Open> open = new ArrayDeque<>();
    private final int most;

    Window(int most) {
      this.most = most;
    }

    /** How many messages have ended meanwhile. */
    int add(CompletableFuture<?> future, int messages) throws Exception {
      open.add(new Open(future, messages));
      int ended = 0;
      for (Open oldest = open.peek();
          oldest != null && (open.size() >= most || oldest.future().isDone());
          oldest = open.peek()) {
        oldest.future().get(1, TimeUnit.MINUTES);
        ended += oldest.messages();
        open.remove();
      }
      return ended;
    }
  }
}
