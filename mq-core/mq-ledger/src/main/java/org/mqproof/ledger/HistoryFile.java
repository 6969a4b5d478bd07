package org.mqproof.ledger;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one history file, cut by cut. Not thread-safe.
 *
 * <p>A file may end anywhere, because its process may: what follows the last cut is left out. A
 * file that is altered before its end is an error.
 */
final class HistoryFile implements AutoCloseable {

  /**
   * One chunk.
   *
   * @param at where in the file it starts, for the text of an error
   */
  record Chunk(long at, int type, ByteBuffer payload) {}

  /** What was recorded between two cuts. */
  record Segment(Instant until, List<Chunk> chunks) {}

  private final Path file;
  private final long size;
  private final DataInputStream in;
  private long at;
  private final int run;
  private final long id;
  private final String name;
  private final Instant started;
  private int version;

  private @Nullable Segment next;
  private Instant until;
  private long cutAt;
  private int judged;
  private int receivers;
  private boolean ended;

  /**
   * Opens a file and reads its first segment.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it is not a history, is damaged, or holds nothing
   */
  HistoryFile(Path file) throws IOException {
    this.file = file;
    if (Files.isDirectory(file)) {
      throw new IllegalArgumentException(file + " is a directory; name the history files in it");
    }
    try {
      size = Files.size(file);
      in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16));
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no file " + file, e);
    }
    try {
      readMagic();
      Chunk opened = readChunk();
      if (opened == null) {
        throw new IllegalArgumentException(
            file + " is a history that ends before anything was recorded in it");
      }
      if (opened.type() != HistoryFormat.OPENED
          || opened.payload().remaining() < Integer.BYTES + 2 * Long.BYTES) {
        throw damaged(opened.at(), "it does not begin with what was opened", null);
      }
      run = opened.payload().getInt();
      id = opened.payload().getLong();
      started = Instant.ofEpochMilli(opened.payload().getLong());
      name = text(opened.payload());
      until = started;
      cutAt = at;
      readSegment();
    } catch (IOException | RuntimeException e) {
      in.close();
      throw e;
    }
  }

  Path file() {
    return file;
  }

  int run() {
    return run;
  }

  /** Made at random for each file. */
  long id() {
    return id;
  }

  /** The version of its format. */
  int version() {
    return version;
  }

  String name() {
    return name;
  }

  Instant started() {
    return started;
  }

  /** The segment that {@link #take} gives next; null if there is none. */
  @Nullable Segment next() {
    return next;
  }

  /** Gives a segment, and reads the one after it. */
  Segment take() throws IOException {
    Segment taken = next;
    if (taken == null) {
      throw new IllegalStateException("no segment is left in " + file);
    }
    readSegment();
    return taken;
  }

  // As of the last segment that was read; so of the whole file once there is no next one.

  /** All that was recorded before is in the file. */
  Instant until() {
    return until;
  }

  /** Whether nothing was recorded afterwards. */
  boolean ended() {
    return ended;
  }

  /** Bytes after the last cut. */
  long leftOut() {
    return size - cutAt;
  }

  /** What was last said when a verdict was asked for. */
  int judged() {
    return judged;
  }

  /** How many receivers there were. */
  int receivers() {
    return receivers;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  IllegalArgumentException damaged(long where, String why, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "%s is damaged at byte %d: %s".formatted(file, where, why), cause);
  }

  /** Reads what {@link Bytes#addVarint} wrote. */
  static long varint(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = from.get();
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number has more than 64 bits");
  }

  /** Reads what {@link Bytes#addSigned} wrote. */
  static long signed(ByteBuffer from) {
    long value = varint(from);
    return value >>> 1 ^ -(value & 1);
  }

  /** The rest, as text. */
  static String text(ByteBuffer from) {
    return StandardCharsets.UTF_8.decode(from).toString();
  }

  /** A time of this file. */
  Instant time(long micros) {
    return started.plusNanos(Math.multiplyExact(micros, 1000));
  }

  private void readMagic() throws IOException {
    byte[] magic = HistoryFormat.MAGIC;
    byte[] found = in.readNBytes(magic.length);
    at = found.length;
    int versionAt = magic.length - 1;
    boolean ours =
        Arrays.equals(
            found,
            0,
            Math.min(found.length, versionAt),
            magic,
            0,
            Math.min(found.length, versionAt));
    if (!ours) {
      throw new IllegalArgumentException(file + " is not a history of a ledger");
    }
    if (found.length < magic.length) {
      throw new IllegalArgumentException(
          file + " is a history that ends before anything was recorded in it");
    }
    version = found[versionAt];
    if (version < HistoryFormat.VERSION_1 || version > magic[versionAt]) {
      throw new IllegalArgumentException(
          "%s is a history in version %d of the format; this program reads versions 1 to %d"
              .formatted(file, version, magic[versionAt]));
    }
  }

  private void readSegment() throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    next = null;
    Chunk chunk = ended ? null : readChunk();
    while (chunk != null) {
      if (chunk.type() == HistoryFormat.CUT || chunk.type() == HistoryFormat.END) {
        cut(chunk);
        next = new Segment(until, chunks);
        return;
      }
      chunks.add(chunk);
      chunk = readChunk();
    }
  }

  private void cut(Chunk chunk) {
    try {
      until = time(varint(chunk.payload()));
      judged = (int) varint(chunk.payload());
      receivers = (int) varint(chunk.payload());
    } catch (RuntimeException e) {
      throw damaged(chunk.at(), "a cut cannot be read", e);
    }
    ended = chunk.type() == HistoryFormat.END;
    cutAt = at;
    if (ended && at < size) {
      throw damaged(at, "something follows its end", null);
    }
  }

  /** Reads a chunk; null if the file ends before it does. */
  private @Nullable Chunk readChunk() throws IOException {
    long start = at;
    if (size - start < Bytes.CHUNK_HEADER_BYTES) {
      return null;
    }
    byte[] header = new byte[Bytes.CHUNK_HEADER_BYTES];
    byte[] payload;
    try {
      in.readFully(header);
      int length = ByteBuffer.wrap(header).getInt(Bytes.LENGTH_AT);
      if (length < 0 || length > HistoryFormat.MOST_CHUNK_BYTES) {
        throw damaged(start, "a chunk cannot have %d bytes".formatted(length), null);
      }
      if (size - start - header.length < length) {
        return null;
      }
      payload = new byte[length];
      in.readFully(payload);
    } catch (EOFException e) {
      throw new IOException(file + " became shorter while it was read", e);
    }
    at = start + header.length + payload.length;
    CRC32C checksum = new CRC32C();
    checksum.update(header, 0, Bytes.CHECKSUM_AT);
    checksum.update(payload);
    if (ByteBuffer.wrap(header).getInt(Bytes.CHECKSUM_AT) != (int) checksum.getValue()) {
      throw damaged(start, "a checksum does not match", null);
    }
    int type = header[0];
    return new Chunk(start, type, ByteBuffer.wrap(payload));
  }
}
