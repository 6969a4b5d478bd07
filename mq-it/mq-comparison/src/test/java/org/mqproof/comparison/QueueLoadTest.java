package org.mqproof.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class QueueLoadTest {

  private static final int BATCH = 10;

  /** A queue that is a number of messages. */
  private static final class Counter implements QueueClient {

    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();

    @Override
    public Load.Step sender() {
      return () -> {
        int now = messages.addAndGet(BATCH);
        most.accumulateAndGet(now, Math::max);
        return BATCH;
      };
    }

    @Override
    public Load.Step receiver() {
      return () -> {
        Thread.sleep(1); // as a broker would take
        int before = messages.getAndUpdate(now -> Math.max(0, now - BATCH));
        return Math.min(before, BATCH);
      };
    }

    @Override
    public void close() {
      closed.set(true);
    }
  }

  private final Counter queue = new Counter();
  private final QueueLoad load = new QueueLoad(BATCH, 1, 2);

  @Test
  void aBacklogIsSentBeforeItIsReceivedAndAnotherOneCounts() throws Exception {
    Rate rate = load.receive(settings -> queue, 1_000).run(Map.of());

    assertThat(rate.messagesPerSecond()).isBetween(100.0, 20_000.0);
    assertThat(queue.most).hasValueBetween(1_000, 1_100);
    assertThat(queue.closed).isTrue();
  }

  @Test
  void whatIsOnItsWayIsBounded() throws Exception {
    Semaphore room = new Semaphore(2 * BATCH);
    Load.Step sending = load.sending(queue.sender(), room);
    Load.Step receiving = QueueLoad.receiving(queue.receiver(), room);

    for (int i = 0; i < 3; i++) {
      assertThat(sending.messages()).isZero(); // what is received counts
    }
    assertThat(queue.messages).hasValue(2 * BATCH);

    assertThat(receiving.messages()).isEqualTo(BATCH);
    assertThat(sending.messages()).isZero();
    assertThat(queue.messages).hasValue(2 * BATCH);
  }

  @Test
  void whatGoesOnWithoutCallsEndsWithTheStepAroundIt() {
    AtomicInteger ended = new AtomicInteger();
    Load.Step step =
        new Load.Step() {
          @Override
          public int messages() {
            return 0;
          }

          @Override
          public void close() {
            ended.incrementAndGet();
          }
        };

    load.sending(step, new Semaphore(0)).close();
    QueueLoad.receiving(step, new Semaphore(0)).close();

    assertThat(ended).hasValue(2);
  }
}
