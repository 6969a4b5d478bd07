package org.mqproof.crash;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/**
 * Adapters that are wrong, in ways that nobody sees without a fault. Each works on a real one.
 * Thread-safe as that is; a sender is for one thread.
 */
final class BrokenMq implements Mq {

  private final Mq real;
  private final BiFunction<Mq, String, Sender> senders;

  private BrokenMq(Mq real, BiFunction<Mq, String, Sender> senders) {
    this.real = real;
    this.senders = senders;
  }

  /** Confirms a batch before the broker has stored it. */
  static Mq confirmsEarly(Mq real) {
    return new BrokenMq(real, EarlySender::new);
  }

  /** When a connection is lost it makes a new one, drops what was unconfirmed, and confirms it. */
  static Mq dropsOnReconnect(Mq real) {
    return new BrokenMq(real, DroppingSender::new);
  }

  @Override
  public void createQueue(String queue) {
    real.createQueue(queue);
  }

  @Override
  public void deleteQueue(String queue) {
    real.deleteQueue(queue);
  }

  @Override
  public Sender sender(String queue) {
    return senders.apply(real, queue);
  }

  @Override
  public Receiver receiver(String queue) {
    return real.receiver(queue);
  }

  @Override
  public Traits traits() {
    return real.traits();
  }

  @Override
  public void close() {
    real.close();
  }

  /** Opens a real sender when it needs one. */
  private abstract static class Reopening implements Sender {

    private final Mq mq;
    private final String queue;
    private @Nullable Sender open;

    Reopening(Mq mq, String queue) {
      this.mq = mq;
      this.queue = queue;
    }

    Sender open() {
      Sender sender = open;
      if (sender == null) {
        sender = mq.sender(queue);
        open = sender;
      }
      return sender;
    }

    void reopen() {
      close();
      open = null;
    }

    @Override
    public CompletableFuture<Void> sendAsync(List<Message> batch) {
      throw new UnsupportedOperationException("send does");
    }

    @Override
    public void close() {
      Sender sender = open;
      if (sender != null) {
        sender.close();
      }
    }
  }

  private static final class EarlySender extends Reopening {

    private final Semaphore unconfirmed = new Semaphore(4);
    private volatile boolean failed;

    EarlySender(Mq mq, String queue) {
      super(mq, queue);
    }

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      if (failed) {
        failed = false;
        reopen();
      }
      unconfirmed.acquire();
      try {
        Child.unawaited(
            open()
                .sendAsync(batch)
                .whenComplete(
                    (done, error) -> {
                      failed |= error != null;
                      unconfirmed.release();
                    }));
      } catch (MqException e) {
        failed = true;
        unconfirmed.release();
      }
    }
  }

  private static final class DroppingSender extends Reopening {

    DroppingSender(Mq mq, String queue) {
      super(mq, queue);
    }

    @Override
    public void send(List<Message> batch) throws InterruptedException {
      try {
        open().send(batch);
      } catch (MqException e) {
        reopen();
      }
    }
  }
}
