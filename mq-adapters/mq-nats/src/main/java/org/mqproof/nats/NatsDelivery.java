package org.mqproof.nats;

import java.util.OptionalInt;
import org.mqproof.Message;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimedDelivery;

/** A message that the consumer handed out, and the subject on which its claim is ended. */
final class NatsDelivery extends ClaimedDelivery {

  private final String ackSubject;
  private final int attempt;
  private volatile long claimedNanos = System.nanoTime();

  /**
   * A claim that has just arrived.
   *
   * @param ackSubject where acks go
   * @param attempt which delivery of the message it is, from 1
   */
  NatsDelivery(AckRounds<?> owner, String ackSubject, int attempt, Message message) {
    super(owner, message);
    this.ackSubject = ackSubject;
    this.attempt = attempt;
  }

  @Override
  public OptionalInt attempt() {
    return OptionalInt.of(attempt);
  }

  String ackSubject() {
    return ackSubject;
  }

  /** Time since the claim arrived, or was last extended; the server has counted a bit longer. */
  long ageNanos() {
    return System.nanoTime() - claimedNanos;
  }

  void extended(long sinceNanos) {
    claimedNanos = sinceNanos;
  }
}
