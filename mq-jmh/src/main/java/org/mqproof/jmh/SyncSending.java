package org.mqproof.jmh;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;
import org.mqproof.ledger.SenderLog;

/** Sends one batch after the other, each when the one before is safe. One thread at a time. */
final class SyncSending extends Sending {

  private final Sender sender;
  private final Batches batches;
  private final LatencyRecorder recorder;

  SyncSending(
      Sender sender,
      @Nullable SenderLog log,
      int[] sizes,
      Batches batches,
      LatencyRecorder recorder) {
    super(log, sizes);
    this.sender = sender;
    this.batches = batches;
    this.recorder = recorder;
  }

  @Override
  int send() throws InterruptedException {
    int size = nextSize();
    List<Message> batch = batches.of(size);
    long start = System.nanoTime();
    long first = stamp(batch, start);
    try {
      sender.send(batch);
    } catch (MqException e) {
      // Counted, not timed: how long an error takes is no send latency.
      int confirmed = failed(first, size, e);
      recorder.count(System.nanoTime(), confirmed);
      requireHope();
      return confirmed;
    }
    long end = System.nanoTime();
    confirmed(first, size);
    recorder.count(end, size);
    recorder.record(end - start, 1);
    return size;
  }

  @Override
  void begin(Timeline.Phase phase) {
    recorder.begin(phase);
  }

  @Override
  void settle() {
    recorder.flush();
  }

  @Override
  public void close() {
    sender.close();
  }
}
