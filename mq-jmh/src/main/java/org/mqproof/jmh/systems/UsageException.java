package org.mqproof.jmh.systems;

/** The command line asks for what cannot be done. Its message is one sentence for the user. */
public final class UsageException extends Exception {

  private static final long serialVersionUID = 1L;

  /** One sentence that says what is wrong. */
  public UsageException(String message) {
    super(message);
  }

  /** The same, with its cause. */
  public UsageException(String message, Throwable cause) {
    super(message, cause);
  }
}
