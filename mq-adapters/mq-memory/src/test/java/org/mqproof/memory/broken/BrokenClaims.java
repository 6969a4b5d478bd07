package org.mqproof.memory.broken;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.mqproof.Delivery;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;

/** Ways to get the end of a claim wrong. As thread-safe as what they wrap. */
final class BrokenClaims {

  private BrokenClaims() {}

  /** The service agrees to a stale receipt handle, does nothing, and is believed. */
  static Mq staleHandleBelieved(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
            return inner.ack(deliveries).exceptionally(failure -> null);
          }
        };
      }
    };
  }
}
