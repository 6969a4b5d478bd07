package org.mqproof;

import org.jspecify.annotations.Nullable;

/**
 * The system failed or did not answer in time. Indefinite: what was asked for may have happened or
 * may yet happen. Its message names the endpoint.
 */
public class MqException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A failure without a further cause.
   *
   * @param message one sentence that names the endpoint
   */
  public MqException(String message) {
    super(message);
  }

  /**
   * A failure with what the client library said.
   *
   * @param message one sentence that names the endpoint
   * @param cause what the client library threw, or null
   */
  public MqException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
