package org.mqproof.jms;

/** Turns client exceptions into message text. */
final class Errors {

  private Errors() {}

  /** What was thrown first: what is around it repeats it, with an address and all its options. */
  static String deepest(Throwable failure) {
    Throwable telling = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = cause.getMessage();
      telling = message == null || message.isBlank() ? telling : cause;
    }
    return reason(telling);
  }

  /** Its message, and its kind where it has none. */
  static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
  }
}
