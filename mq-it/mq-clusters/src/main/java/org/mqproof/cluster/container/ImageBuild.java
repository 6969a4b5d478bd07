package org.mqproof.cluster.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A run of {@code mq-it/images/build}, which may go on while tests begin. Thread-safe: no state but
 * names.
 *
 * @param lock the file that the script has locked while it runs
 * @param bound how long a run is awaited
 */
record ImageBuild(Path lock, Duration bound) {

  /** The script's own name for it; six images take three minutes on two cores. */
  static final ImageBuild OF_THIS_MACHINE =
      new ImageBuild(Path.of("/tmp/mqproof-images.lock"), Duration.ofMinutes(15));

  /**
   * Waits until no script runs, or the bound has passed; returns at once where none ever ran. By a
   * command, for Java's own locks and those of flock(1) do not see each other.
   */
  void awaitEnd() {
    if (!Files.isReadable(lock)) {
      return;
    }
    Process process;
    try {
      process =
          new ProcessBuilder(
                  List.of(
                      "flock",
                      "--shared",
                      "--timeout",
                      Long.toString(bound.toSeconds()),
                      lock.toString(),
                      "true"))
              .start();
    } catch (IOException e) {
      return; // the script needs the command too: none can run here
    }
    try {
      process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
  }
}
