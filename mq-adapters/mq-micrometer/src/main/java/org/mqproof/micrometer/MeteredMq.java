package org.mqproof.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/** A connection with meters. As thread-safe as the one inside. */
final class MeteredMq implements Mq {

  private final Mq mq;
  private final SystemMeters meters;
  private final Set<MeteredReceiver> receivers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  MeteredMq(Mq mq, SystemMeters meters) {
    this.mq = mq;
    this.meters = meters;
  }

  @Override
  public void createQueue(String queue) {
    mq.createQueue(queue);
  }

  @Override
  public void deleteQueue(String queue) {
    mq.deleteQueue(queue);
  }

  @Override
  public Sender sender(String queue) {
    return new MeteredSender(mq.sender(queue), meters.sending(queue));
  }

  @Override
  public Receiver receiver(String queue) {
    MeteredReceiver receiver =
        new MeteredReceiver(
            mq.receiver(queue), meters.receiving(queue), traits().claimPeriod(), receivers::remove);
    receivers.add(receiver);
    if (closed.get()) { // by another thread, which may have missed this one
      receiver.forget();
    }
    return receiver;
  }

  @Override
  public Traits traits() {
    return mq.traits();
  }

  @Override
  public void close() {
    try {
      mq.close();
    } finally {
      if (closed.compareAndSet(false, true)) {
        receivers.forEach(MeteredReceiver::forget);
        meters.leave();
      }
    }
  }
}
