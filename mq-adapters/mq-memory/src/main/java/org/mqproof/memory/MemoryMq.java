package org.mqproof.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/** A connection to a {@link MemoryBroker}. Thread-safe. */
final class MemoryMq implements Mq {

  private final MemoryBroker broker;
  private final Set<MemorySender> senders = ConcurrentHashMap.newKeySet();
  private final Set<MemoryReceiver> receivers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  MemoryMq(MemoryBroker broker) {
    this.broker = broker;
  }

  @Override
  public void createQueue(String queue) {
    requireOpen();
    broker.createQueue(queue);
  }

  @Override
  public void deleteQueue(String queue) {
    requireOpen();
    broker.deleteQueue(queue);
  }

  @Override
  public Sender sender(String queue) {
    requireOpen();
    MemorySender sender = new MemorySender(broker.queue(queue), broker, senders);
    senders.add(sender);
    if (closed) { // by another thread, which may have missed this one
      sender.close();
    }
    requireOpen();
    return sender;
  }

  @Override
  public Receiver receiver(String queue) {
    requireOpen();
    MemoryReceiver receiver = new MemoryReceiver(broker.queue(queue), broker, receivers);
    receivers.add(receiver);
    if (closed) { // by another thread, which may have missed this one
      receiver.close();
    }
    requireOpen();
    return receiver;
  }

  @Override
  public Traits traits() {
    return broker.traits();
  }

  @Override
  public void close() {
    closed = true;
    senders.forEach(MemorySender::close);
    receivers.forEach(MemoryReceiver::close);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("this connection to " + broker.endpoint() + " is closed");
    }
  }
}
