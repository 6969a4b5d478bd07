package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.Timeline;

class AsyncSendingTest {

  private static final int BATCH = 2;

  private final Timeline timeline = new Timeline(System.nanoTime());
  private final Queue<CompletableFuture<Void>> underWay = new ArrayDeque<>();
  private final AsyncSending sending = sending(10);

  @Test
  void whatIsConfirmedCountsBeforeTheWindowIsFull() throws Exception {
    assertThat(sending.send()).isZero();
    assertThat(sending.send()).isZero();
    confirmOldest();
    confirmOldest();

    assertThat(sending.send()).isEqualTo(2 * BATCH);
    assertThat(sending.send()).as("what counted already").isZero();
  }

  @Test
  void whatIsUnderWayWhenAnIterationEndsCountsInNone() throws Exception {
    assertThat(sending.send()).isZero();
    confirmOldest();
    sending.settle();

    assertThat(sending.send()).isZero();
    assertThat(measured().count()).as("it was timed all the same").isEqualTo(1);
  }

  @Test
  void whatFailedIsNotConfirmed() throws Exception {
    assertThat(sending.send()).isZero();
    underWay.remove().completeExceptionally(new MqException("no"));

    assertThat(sending.send()).isZero();
    assertThat(sending.failed()).isEqualTo(BATCH);
  }

  private void confirmOldest() {
    underWay.remove().complete(null);
  }

  private Distribution measured() {
    return Timeline.of(timeline.close((kind, second, times) -> {}), Timeline.Kind.SEND);
  }

  private AsyncSending sending(int window) {
    AsyncSending all =
        new AsyncSending(
            new Unhurried(),
            null,
            new BatchSizes(BATCH, BATCH).draw(0),
            Stream.generate(() -> new Batches(BATCH, 8)).limit(window).toList(),
            new SendTimes(new LatencyRecorder(timeline, Timeline.Kind.SEND), null),
            1_000);
    all.begin(Timeline.Phase.MEASURED);
    return all;
  }

  /** Confirms what it is told to. */
  private final class Unhurried implements Sender {

    @Override
    public void send(List<Message> batch) {
      throw new UnsupportedOperationException("only sendAsync is looked at");
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      CompletableFuture<Void> sent = new CompletableFuture<>();
      underWay.add(sent);
      return sent;
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
