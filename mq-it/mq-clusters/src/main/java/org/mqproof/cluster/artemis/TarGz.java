package org.mqproof.cluster.artemis;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Reads {@code .tar.gz} files, which the JDK cannot. Thread-safe: no state. */
final class TarGz {

  private static final int BLOCK = 512;

  private TarGz() {}

  /**
   * Copies one file out of an archive.
   *
   * @param nameEnds how the name of its entry ends, for example {@code "/lib/some.jar"}
   * @param to the file to write
   * @throws IOException if there is no such entry, or something cannot be read or written
   */
  static void extract(Path archive, String nameEnds, Path to) throws IOException {
    try (InputStream tar =
        new GZIPInputStream(new BufferedInputStream(Files.newInputStream(archive)), 1 << 16)) {
      byte[] header = tar.readNBytes(BLOCK);
      while (header.length == BLOCK && header[0] != 0) {
        long bytes = Long.parseLong(text(header, 124, 12).strip(), 8);
        if (text(header, 0, 100).endsWith(nameEnds)) {
          byte[] content = tar.readNBytes(Math.toIntExact(bytes));
          if (content.length < bytes) {
            throw new EOFException(archive + " ends in the middle of " + nameEnds);
          }
          Files.write(to, content);
          return;
        }
        tar.skipNBytes((bytes + BLOCK - 1) / BLOCK * BLOCK);
        header = tar.readNBytes(BLOCK);
      }
    }
    throw new IOException(archive + " has no " + nameEnds);
  }

  /** A field of a header, which ends with a zero if it is shorter than its space. */
  private static String text(byte[] header, int from, int length) {
    String field = new String(header, from, length, StandardCharsets.US_ASCII);
    int end = field.indexOf('\0');
    return end < 0 ? field : field.substring(0, end);
  }
}
