package org.mqproof.jmh.load;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;
import org.mqproof.jmh.measure.NanoClock;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.ledger.SenderLog;

/** Sends one batch after the other, each when the one before is safe. One thread at a time. */
final class SyncSending extends Sending {

  private final Sender sender;
  private final Batches batches;
  private final NanoClock clock;

  SyncSending(
      Sender sender,
      @Nullable SenderLog log,
      int[] sizes,
      Batches batches,
      SendTimes times,
      NanoClock clock) {
    super(log, sizes, times);
    this.sender = sender;
    this.batches = batches;
    this.clock = clock;
  }

  @Override
  public int send() throws InterruptedException {
    int size = nextSize();
    List<Message> batch = batches.of(size);
    long start = clock.nanoTime();
    long due = due(start);
    long first = stamp(batch, due);
    try {
      sender.send(batch);
    } catch (MqException e) {
      // Counted, not timed: how long an error takes is no send latency.
      int confirmed = failed(first, size, e);
      times().count(clock.nanoTime(), confirmed);
      failAfterTooManyErrors();
      return confirmed;
    }
    long end = clock.nanoTime();
    confirmed(first, size);
    times().record(due, start, end, size);
    return size;
  }

  @Override
  public void begin(Timeline.Phase phase) {
    times().begin(phase);
  }

  @Override
  public void settle() {
    times().flush();
  }

  @Override
  public void close() {
    sender.close();
  }
}
