package org.mqproof;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** At least one message of a batch was not confirmed. Says for each message what is known of it. */
public final class SendFailedException extends MqException {

  private static final long serialVersionUID = 1L;

  /** One per message, in the order of the batch. */
  @SuppressWarnings("serial") // List.copyOf makes lists that can be written
  private final List<Outcome> outcomes;

  /**
   * Records the outcome of a batch.
   *
   * @param message one sentence that names the endpoint; the counts of the outcomes are appended
   * @param outcomes one per message, in the order of the batch
   * @param cause what the client library said first, or null
   * @throws IllegalArgumentException if every outcome is {@link Outcome#CONFIRMED}
   */
  public SendFailedException(String message, List<Outcome> outcomes, @Nullable Throwable cause) {
    super(message + " (" + Outcome.counts("message", "messages", outcomes) + ")", cause);
    this.outcomes = List.copyOf(outcomes);
  }

  /**
   * What is known of each message.
   *
   * @return one outcome per message, in the order of the batch; at least one is not CONFIRMED
   */
  public List<Outcome> outcomes() {
    return outcomes;
  }
}
