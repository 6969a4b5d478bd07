package org.mqproof.sqs;

import org.jspecify.annotations.Nullable;

/** A request, or one entry of it, that the service did not do or may not have done. Immutable. */
final class RequestFailed extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final int REQUEST_TIMEOUT = 408;

  private final boolean certain;
  private final boolean missingQueue;
  private final boolean denied;

  private RequestFailed(
      String message,
      boolean certain,
      boolean missingQueue,
      boolean denied,
      @Nullable Throwable cause) {
    super(message, cause);
    this.certain = certain;
    this.missingQueue = missingQueue;
    this.denied = denied;
  }

  /**
   * The service answered with an error.
   *
   * @param status of HTTP: from 400 to 499 nothing was done
   */
  static RequestFailed answered(
      int status, @Nullable String code, @Nullable String message, Throwable cause) {
    boolean certain = status >= 400 && status < 500 && status != REQUEST_TIMEOUT;
    String known = String.valueOf(code);
    return new RequestFailed(
        message == null ? known : known + ": " + message,
        certain,
        known.endsWith("NonExistentQueue") || known.endsWith("QueueDoesNotExist"),
        known.startsWith("AccessDenied"),
        cause);
  }

  /** The service answered that it did not do one entry of a request. */
  static RequestFailed entry(boolean senderFault, @Nullable String code, @Nullable String message) {
    return new RequestFailed(
        message == null ? String.valueOf(code) : code + ": " + message,
        senderFault,
        false,
        false,
        null);
  }

  /** Nobody knows whether it was done. */
  static RequestFailed unknown(String message, @Nullable Throwable cause) {
    return new RequestFailed(message, false, false, false, cause);
  }

  /** It was never handed to the service. */
  static RequestFailed neverSent(String message) {
    return new RequestFailed(message, true, false, false, null);
  }

  /** As it is, or as of unknown effect. */
  static RequestFailed of(Throwable failure) {
    return failure instanceof RequestFailed known
        ? known
        : unknown(Errors.reason(failure), failure);
  }

  /** Whether it was certainly not done. */
  boolean isCertain() {
    return certain;
  }

  boolean isMissingQueue() {
    return missingQueue;
  }

  /** Whether the service knows who asks, and forbids it. */
  boolean isDenied() {
    return denied;
  }
}
