package org.mqproof.micrometer;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.micrometer.ReceiveMeters.Received;

/**
 * A receiver with meters. Hands out the deliveries of the one inside, not objects of its own. For
 * one thread at a time; may be closed by another.
 */
final class MeteredReceiver implements Receiver {

  private final Receiver receiver;
  private final ReceiveMeters meters;
  private final InFlight inFlight;
  private final Consumer<MeteredReceiver> closed;

  MeteredReceiver(
      Receiver receiver,
      ReceiveMeters meters,
      Optional<Duration> claimPeriod,
      Consumer<MeteredReceiver> closed) {
    this.receiver = receiver;
    this.meters = meters;
    this.closed = closed;
    inFlight = new InFlight(meters, claimPeriod);
  }

  @Override
  public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
    long start = meters.nanoTime();
    List<Delivery> got;
    try {
      got = receiver.receive(max, timeout);
    } catch (MqException e) {
      meters.received(Received.FAILED, 0, meters.nanoTime() - start);
      throw e;
    }
    long now = meters.nanoTime();
    meters.received(got.isEmpty() ? Received.EMPTY : Received.DELIVERED, got.size(), now - start);
    inFlight.received(got, now);
    return got;
  }

  @Override
  public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
    long now = meters.nanoTime();
    CompletableFuture<Void> done = receiver.ack(deliveries);
    InFlight.Given given = inFlight.give(deliveries);
    return Futures.observed(done, failure -> given.acked(failure, now));
  }

  @Override
  public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
    CompletableFuture<Void> done = receiver.release(deliveries);
    InFlight.Given given = inFlight.give(deliveries);
    return Futures.observed(done, given::released);
  }

  @Override
  public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
    CompletableFuture<Void> done = receiver.extend(deliveries);
    inFlight.extended(deliveries, meters.nanoTime());
    return done;
  }

  @Override
  public void close() {
    try {
      receiver.close();
    } finally {
      forget();
    }
  }

  /** The receiver inside is closed, and nothing is in flight here any more. */
  void forget() {
    inFlight.end();
    closed.accept(this);
  }
}
