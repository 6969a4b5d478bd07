package org.mqproof.jmh.systems;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The lock by which JMH keeps two runs on one machine apart. */
public final class JmhLock {

  private JmhLock() {}

  /**
   * Looks at the lock before clusters start for nothing; JMH itself takes it later.
   *
   * @throws UsageException if another run holds it
   */
  public static void requireFree() throws UsageException, IOException {
    if (Boolean.getBoolean("jmh.ignoreLock")) {
      return;
    }
    Path file = Path.of(System.getProperty("java.io.tmpdir"), "jmh.lock");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        throw new UsageException(
            "another benchmark run holds %s: wait for its end, or add -Djmh.ignoreLock=true and have noisy numbers"
                .formatted(file));
      }
    }
  }
}
