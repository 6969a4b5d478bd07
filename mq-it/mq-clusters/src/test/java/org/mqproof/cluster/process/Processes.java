package org.mqproof.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** States of processes, and a bounded wait for one. Thread-safe: no state. */
public final class Processes {

  private Processes() {}

  /** The state letter that the kernel shows: R, S, T for stopped, Z for dead but not yet buried. */
  public static char state(ProcessHandle process) {
    try {
      String stat =
          Files.readString(
              Path.of("/proc", Long.toString(process.pid()), "stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException gone) {
      return 'X';
    }
  }

  public static void await(String what, Duration bound, BooleanSupplier condition) {
    long deadline = System.nanoTime() + bound.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline)
          .as("%s within %s", what, bound)
          .isLessThanOrEqualTo(0);
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }
}
