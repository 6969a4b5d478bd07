package org.mqproof.cluster;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cluster could not be started, asked or brought back in time. Its message says why, and ends
 * with the last lines of a node's log where one tells more.
 */
public final class ClusterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A failure without a further cause.
   *
   * @param message what failed, and what to do about it
   */
  public ClusterException(String message) {
    super(message);
  }

  /**
   * A failure with its cause.
   *
   * @param message what failed, and what to do about it
   * @param cause what was thrown, or null
   */
  public ClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /**
   * Throws what is missing for a cluster to be started, if anything is.
   *
   * @param missing one sentence, or empty
   */
  public static void throwIf(Optional<String> missing) {
    if (missing.isPresent()) {
      throw new ClusterException(missing.get());
    }
  }
}
