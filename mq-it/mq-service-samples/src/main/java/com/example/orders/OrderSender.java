package com.example.orders;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/** Sends orders. Thread-safe: one sender, which one thread at a time uses. */
public final class OrderSender implements AutoCloseable {

  private static final int MOST_ATTEMPTS = 3;

  private final Mq mq;
  private final String queue;
  private Sender sender;

  public OrderSender(Mq mq, String queue) {
    this.mq = mq;
    this.queue = queue;
    sender = mq.sender(queue);
  }

  // send {
  /** Returns when the order is safe. Its id is the same in every attempt. */
  public void send(byte[] order) throws InterruptedException {
    Message message = new Message(order, Map.of("id", UUID.randomUUID().toString()));
    for (int attempt = 1; ; attempt++) {
      Sender used;
      CompletableFuture<Void> safe;
      synchronized (this) { // start under the lock, wait outside: other threads' sends go on
        used = sender;
        safe = used.sendAsync(List.of(message));
      }
      try {
        safe.get();
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof SendFailedException failure)) {
          throw new IllegalStateException(e.getCause());
        }
        // REJECTED: certainly not stored. UNKNOWN: perhaps; sent again it may be there twice.
        if (failure.outcomes().get(0) == Outcome.REJECTED || attempt == MOST_ATTEMPTS) {
          throw failure;
        }
        replace(used);
      }
    }
  }

  // }

  /** A sender that failed may be of no more use. */
  private synchronized void replace(Sender failed) {
    if (sender == failed) {
      failed.close();
      sender = mq.sender(queue);
    }
  }

  /** Waits for what was started. */
  @Override
  public synchronized void close() {
    sender.close();
  }
}
