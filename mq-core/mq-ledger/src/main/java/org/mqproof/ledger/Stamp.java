package org.mqproof.ledger;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Writes and checks the 32 bytes at the start of a body. Big-endian: checksum (int), magic (int),
 * run (int), sender (int), sequence (long), time (long, nanoseconds).
 *
 * <p>The checksum is the CRC32C of all that follows it, so one pass covers header and payload, and
 * any change within 32 neighbouring bits is found for certain. Not thread-safe: one thread at a
 * time.
 */
final class Stamp {

  static final int BYTES = 32;

  private static final int MAGIC = 0x4d71_5072; // "MqPr"

  private static final int CHECKSUM_AT = 0;
  private static final int MAGIC_AT = 4;
  private static final int RUN_AT = 8;
  private static final int SENDER_AT = 12;
  private static final int SEQUENCE_AT = 16;
  private static final int TIME_AT = 24;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Kept, so that stamping a message allocates nothing. */
  private final CRC32C checksum = new CRC32C();

  void write(byte[] body, int run, int sender, long sequence, long timeNanos) {
    INT.set(body, MAGIC_AT, MAGIC);
    INT.set(body, RUN_AT, run);
    INT.set(body, SENDER_AT, sender);
    LONG.set(body, SEQUENCE_AT, sequence);
    LONG.set(body, TIME_AT, timeNanos);
    INT.set(body, CHECKSUM_AT, checksumOf(body));
  }

  /** Whether the body is, byte for byte, one that a ledger stamped: of this run or another. */
  boolean isIntact(byte[] body) {
    return isMarked(body) && (int) INT.get(body, CHECKSUM_AT) == checksumOf(body);
  }

  /** Whether the body begins like a stamp; the rest of it is not looked at. */
  static boolean isMarked(byte[] body) {
    return body.length >= BYTES && (int) INT.get(body, MAGIC_AT) == MAGIC;
  }

  /** Whether the body begins like a stamp of this run; the rest of it is not looked at. */
  static boolean isMarked(byte[] body, int run) {
    return body.length >= BYTES
        && (long) LONG.get(body, MAGIC_AT) == ((long) MAGIC << 32 | Integer.toUnsignedLong(run));
  }

  static int run(byte[] body) {
    return (int) INT.get(body, RUN_AT);
  }

  static int sender(byte[] body) {
    return (int) INT.get(body, SENDER_AT);
  }

  static long sequence(byte[] body) {
    return (long) LONG.get(body, SEQUENCE_AT);
  }

  static long timeNanos(byte[] body) {
    return (long) LONG.get(body, TIME_AT);
  }

  private int checksumOf(byte[] body) {
    checksum.reset();
    checksum.update(body, MAGIC_AT, body.length - MAGIC_AT);
    return (int) checksum.getValue();
  }
}
