package org.mqproof.cluster.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Files that outlive clusters, because they take a moment to make: {@code mqproof} in {@code
 * $XDG_CACHE_HOME}, or else in {@code ~/.cache}. Each may be deleted at any time. Thread-safe.
 */
public final class Cache {

  private final Path directory;

  /**
   * The cache of this machine's user.
   *
   * @throws IOException if its directory cannot be made
   */
  public Cache() throws IOException {
    this(parent().resolve("mqproof"));
  }

  /**
   * A cache elsewhere.
   *
   * @throws IOException if its directory cannot be made
   */
  Cache(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
  }

  private static Path parent() {
    String set = System.getenv("XDG_CACHE_HOME");
    return set == null || set.isEmpty()
        ? Path.of(System.getProperty("user.home"), ".cache")
        : Path.of(set);
  }

  /** Writes a file. */
  public interface Writer {

    /**
     * Writes it.
     *
     * @param to does not exist
     * @throws IOException if it cannot be written
     */
    void write(Path to) throws IOException;
  }

  /**
   * A file of the cache, written if it is not there. Others who ask for it at the same time may
   * write it too; the last one stays.
   *
   * @param name says all that its content depends on
   * @param writer writes it
   * @return the file
   * @throws IOException if it cannot be written; nothing of it is there then
   */
  public Path file(String name, Writer writer) throws IOException {
    Path file = path(name);
    if (!Files.exists(file)) {
      Path part =
          path("%s.%d.%d".formatted(name, ProcessHandle.current().pid(), System.nanoTime()));
      try {
        writer.write(part);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    }
    return file;
  }

  /** Where a file of the cache is, if it is there. */
  Path path(String name) {
    return directory.resolve(name);
  }

  Path directory() {
    return directory;
  }
}
