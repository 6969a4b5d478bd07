package org.mqproof.micrometer;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Message;
import org.mqproof.MqException;
import org.mqproof.Sender;

/** A sender with meters. For one thread at a time; may be closed by another. */
final class MeteredSender implements Sender {

  private final Sender sender;
  private final SendMeters meters;

  MeteredSender(Sender sender, SendMeters meters) {
    this.sender = sender;
    this.meters = meters;
  }

  @Override
  public void send(List<Message> batch) throws InterruptedException {
    long start = meters.nanoTime();
    try {
      sender.send(batch);
    } catch (MqException | InterruptedException e) {
      meters.sent(batch.size(), e, start);
      throw e;
    }
    meters.sent(batch.size(), null, start);
  }

  @Override
  public CompletableFuture<Void> sendAsync(List<Message> batch) {
    long start = meters.nanoTime();
    CompletableFuture<Void> done = sender.sendAsync(batch);
    int size = batch.size(); // now: the caller may use the list again
    return Futures.observed(done, failure -> meters.sent(size, failure, start));
  }

  @Override
  public void close() {
    sender.close();
  }
}
