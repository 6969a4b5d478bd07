package org.mqproof.eventstore;

import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Outcome;

/**
 * A message that the server handed to one subscription. Its state is guarded by the lock of its
 * {@link Claims}.
 */
final class EventStoreDelivery implements Delivery {

  /** What became of the claim. */
  enum State {
    CLAIMED(Outcome.REJECTED),
    /** An ack was given, and perhaps sent. */
    ACKED(Outcome.UNKNOWN),
    SETTLED(Outcome.CONFIRMED),
    /** No ack is sent any more. */
    EXPIRED(Outcome.REJECTED);

    private final Outcome outcome;

    State(Outcome outcome) {
      this.outcome = outcome;
    }

    /** Of an ack, if nothing more happens. */
    Outcome outcome() {
      return outcome;
    }
  }

  private final Claims owner;
  private final EventId id;
  private final Message message;
  private final long expiresNanos;
  private State state = State.CLAIMED;

  EventStoreDelivery(Claims owner, EventId id, byte[] body, long expiresNanos) {
    this.owner = owner;
    this.id = id;
    this.expiresNanos = expiresNanos;
    message = new Message(body);
  }

  @Override
  public Message message() {
    return message;
  }

  Claims owner() {
    return owner;
  }

  EventId id() {
    return id;
  }

  /** From here on the server may have given it to another receiver. */
  long expiresNanos() {
    return expiresNanos;
  }

  State state() {
    return state;
  }

  void become(State newState) {
    state = newState;
  }

  @Override
  public String toString() {
    return "EventStoreDelivery[event " + id + ", " + message + "]";
  }
}
