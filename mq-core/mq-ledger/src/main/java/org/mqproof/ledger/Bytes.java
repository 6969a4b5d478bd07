package org.mqproof.ledger;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Bytes that grow at their end, and the encodings a history is made of. Not thread-safe. */
final class Bytes {

  /** The most that {@link #addVarint} and {@link #addSigned} add. */
  static final int MOST_VARINT_BYTES = 10;

  /** Type, length and checksum. */
  static final int CHUNK_HEADER_BYTES = 9;

  static final int LENGTH_AT = 1;
  static final int CHECKSUM_AT = 5;

  private byte[] bytes = new byte[256];
  private int length;

  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  void add(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  void addInt(int value) {
    reserve(Integer.BYTES);
    setInt(length, value);
    length += Integer.BYTES;
  }

  void addLong(long value) {
    addInt((int) (value >>> 32));
    addInt((int) value);
  }

  /** Seven bits a byte, the lowest first; all but the last byte have their highest bit set. */
  void addVarint(long value) {
    reserve(MOST_VARINT_BYTES);
    long left = value;
    while ((left & ~0x7fL) != 0) {
      bytes[length++] = (byte) (left | 0x80);
      left >>>= 7;
    }
    bytes[length++] = (byte) left;
  }

  /** A varint of 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ... */
  void addSigned(long value) {
    addVarint(value << 1 ^ value >> 63);
  }

  void addAll(byte[] others) {
    reserve(others.length);
    System.arraycopy(others, 0, bytes, length, others.length);
    length += others.length;
  }

  void addAll(Bytes others) {
    reserve(others.length);
    System.arraycopy(others.bytes, 0, bytes, length, others.length);
    length += others.length;
  }

  /** Begins a chunk; returns where, for {@link #endChunk}. */
  int beginChunk(int type) {
    int start = length;
    add(type);
    addLong(0); // length and checksum, set at its end
    return start;
  }

  void endChunk(int start) {
    int body = start + CHUNK_HEADER_BYTES;
    setInt(start + LENGTH_AT, length - body);
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, start, CHECKSUM_AT);
    checksum.update(bytes, body, length - body);
    setInt(start + CHECKSUM_AT, (int) checksum.getValue());
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
  }

  private void setInt(int at, int value) {
    bytes[at] = (byte) (value >>> 24);
    bytes[at + 1] = (byte) (value >>> 16);
    bytes[at + 2] = (byte) (value >>> 8);
    bytes[at + 3] = (byte) value;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
