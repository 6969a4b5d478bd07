package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What tests want to know of processes. Thread-safe: no state. */
public final class Processes {

  private Processes() {}

  /** The state letter that the kernel shows: R, S, T for stopped, Z for dead but not yet buried. */
  static char state(ProcessHandle process) {
    try {
      String stat =
          Files.readString(
              Path.of("/proc", Long.toString(process.pid()), "stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException gone) {
      return 'X';
    }
  }

  /** An orphan whose new parent has not yet looked at it is as dead as one that is gone. */
  static boolean isDead(ProcessHandle process) {
    return !process.isAlive() || state(process) == 'Z';
  }

  /**
   * Whether a process has a signal ignored, by what the kernel says. A JVM whose parent ignored a
   * signal that ends a program goes on ignoring it.
   */
  static boolean ignores(ProcessHandle process, String signal) throws IOException {
    List<String> numbered = List.of("HUP", "INT", "QUIT");
    if (!numbered.contains(signal)) {
      return false;
    }
    String mask =
        Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElseThrow()
            .substring("SigIgn:".length())
            .strip();
    return (Long.parseUnsignedLong(mask, 16) >>> numbered.indexOf(signal) & 1) == 1;
  }

  /**
   * The command lines of processes that name a path in them or in their environment, as far as the
   * kernel lets this user see them; of every process, whosever child it is.
   */
  static List<String> mentioning(Path path) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                proc(process, "cmdline").contains(path.toString())
                    || proc(process, "environ").contains(path.toString()))
        .map(process -> proc(process, "cmdline").replace('\0', ' '))
        .toList();
  }

  private static String proc(ProcessHandle process, String file) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(process.pid()), file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // gone, or somebody else's
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
