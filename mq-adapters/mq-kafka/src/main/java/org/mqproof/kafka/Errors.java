package org.mqproof.kafka;

/** Turns client exceptions into message text. */
final class Errors {

  private Errors() {}

  /** Its message, and its kind where it has none. */
  static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
  }
}
