package org.mqproof.support;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Finds what to say of a failure. No state. */
public final class Causes {

  private Causes() {}

  /**
   * Leaves out what only carries a failure from thread to thread.
   *
   * @param failure any
   * @return the first of its causes that is neither an {@link ExecutionException} nor a {@link
   *     CompletionException}
   */
  public static Throwable first(Throwable failure) {
    Throwable first = failure;
    Throwable cause = first.getCause();
    while (cause != null
        && (first instanceof ExecutionException || first instanceof CompletionException)) {
      first = cause;
      cause = first.getCause();
    }
    return first;
  }

  /**
   * The outermost message that is not blank.
   *
   * @param failure any
   * @return a phrase; the name of a class if there is no message
   */
  public static String reason(Throwable failure) {
    Throwable shown = first(failure);
    Throwable cause = shown.getCause();
    while (isBlank(shown.getMessage()) && cause != null) {
      shown = cause;
      cause = shown.getCause();
    }
    String message = shown.getMessage();
    return message == null || isBlank(message) ? shown.getClass().getSimpleName() : message;
  }

  private static boolean isBlank(@Nullable String message) {
    return message == null || message.isBlank();
  }
}
