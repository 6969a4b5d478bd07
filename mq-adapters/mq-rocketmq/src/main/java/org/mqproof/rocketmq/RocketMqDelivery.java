package org.mqproof.rocketmq;

import java.util.OptionalInt;
import org.mqproof.Message;
import org.mqproof.support.AckRounds;
import org.mqproof.support.ClaimedDelivery;

/** A message that a broker handed out, and the handle of its claim. */
final class RocketMqDelivery extends ClaimedDelivery {

  private final int attempt;
  private volatile Claim claim;
  private volatile boolean done;

  /** The handle of a claim, which each extension replaces, and when it began. */
  record Claim(String handle, long sinceNanos) {}

  /**
   * A claim that has just arrived.
   *
   * @param handle what the broker calls a receipt: which message, when, and for how long
   * @param attempt which delivery of the message it is, from 1
   */
  RocketMqDelivery(AckRounds<?> owner, String handle, int attempt, Message message) {
    super(owner, message);
    this.attempt = attempt;
    claim = new Claim(handle, System.nanoTime());
  }

  @Override
  public OptionalInt attempt() {
    return OptionalInt.of(attempt);
  }

  String handle() {
    return claim.handle();
  }

  /** Time since the claim arrived, or was last extended; the broker has counted a bit longer. */
  long ageNanos() {
    return System.nanoTime() - claim.sinceNanos();
  }

  /** Whether the claim was acked or released: its handle must not become another. */
  boolean isDone() {
    return done;
  }

  void done() {
    done = true;
  }

  void extended(String handle, long sinceNanos) {
    claim = new Claim(handle, sinceNanos);
  }
}
