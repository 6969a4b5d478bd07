package org.mqproof;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** At least one delivery was not settled by an ack. Says for each what is known of it. */
public final class AckFailedException extends MqException {

  private static final long serialVersionUID = 1L;

  /** One per delivery, in the order in which they were given to ack. */
  @SuppressWarnings("serial") // List.copyOf makes lists that can be written
  private final List<Outcome> outcomes;

  /**
   * Records the outcome of an ack.
   *
   * @param message one sentence that names the endpoint; the counts of the outcomes are appended
   * @param outcomes one per delivery, in the iteration order of the collection given to {@link
   *     Receiver#ack}
   * @param cause what the client library said first, or null
   * @throws IllegalArgumentException if every outcome is {@link Outcome#CONFIRMED}
   */
  public AckFailedException(String message, List<Outcome> outcomes, @Nullable Throwable cause) {
    super(message + " (" + Outcome.counts("delivery", "deliveries", outcomes) + ")", cause);
    this.outcomes = List.copyOf(outcomes);
  }

  /**
   * What is known of each delivery. {@link Outcome#CONFIRMED}: settled, its message does not come
   * back. {@link Outcome#REJECTED}: certainly not settled, its message comes back or is claimed
   * still. {@link Outcome#UNKNOWN}: either.
   *
   * @return one outcome per delivery, in the iteration order of the collection given to {@link
   *     Receiver#ack}; at least one is not CONFIRMED
   */
  public List<Outcome> outcomes() {
    return outcomes;
  }
}
