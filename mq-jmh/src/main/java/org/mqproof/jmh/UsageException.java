package org.mqproof.jmh;

/** The command line asks for what cannot be done. Its message is one sentence for the user. */
final class UsageException extends Exception {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }

  UsageException(String message, Throwable cause) {
    super(message, cause);
  }
}
