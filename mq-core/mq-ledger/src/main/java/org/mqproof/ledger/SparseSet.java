package org.mqproof.ledger;

import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * A compressed set of sequence numbers from 0 below {@link #LIMIT}: a bitmap for each block of 2^32
 * of them.
 *
 * <p>The 32-bit bitmaps are leaner and faster than the library's 64-bit ones, and a block lasts a
 * sender for more than an hour at a million messages a second. Not thread-safe.
 */
final class SparseSet {

  /** Sequence numbers are below this, so that a block's number is an int and no sum overflows. */
  static final long LIMIT = 1L << 62;

  /**
   * Additions between two compactions. Short runs make the library's containers grow to four bytes
   * a run; compacting bounds them by a bit per number again.
   */
  private static final int COMPACT_EVERY = 1 << 16;

  private static final long OFFSET_MASK = (1L << 32) - 1;

  private final TreeMap<Integer, RoaringBitmap> blocks = new TreeMap<>();
  private int additions;

  /** Adds every number from {@code from} to below {@code to}. */
  void add(long from, long to) {
    for (long start = from; start < to; ) {
      long end = Math.min(to, (start | OFFSET_MASK) + 1);
      RoaringBitmap block = openBlock(blockOf(start));
      if (end == start + 1) {
        block.add((int) start);
      } else {
        block.add(start & OFFSET_MASK, offsetOfEnd(end));
      }
      start = end;
    }
    if (++additions == COMPACT_EVERY) {
      additions = 0;
      blocks.values().forEach(RoaringBitmap::runOptimize);
    }
  }

  /** Adds numbers of one block. */
  void addAll(int block, RoaringBitmap numbers) {
    openBlock(block).or(numbers);
  }

  /** Removes every number from {@code from} to below {@code to}. */
  void remove(long from, long to) {
    for (long start = from; start < to; ) {
      long end = Math.min(to, (start | OFFSET_MASK) + 1);
      int number = blockOf(start);
      RoaringBitmap block = blocks.get(number);
      if (block != null) {
        block.remove(start & OFFSET_MASK, offsetOfEnd(end));
        if (block.isEmpty()) {
          blocks.remove(number);
        }
      }
      start = end;
    }
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  boolean contains(long number) {
    RoaringBitmap block = blocks.get(blockOf(number));
    return block != null && block.contains((int) number);
  }

  /** How many numbers from {@code from} to below {@code to} are in the set. */
  long count(long from, long to) {
    long count = 0;
    for (long start = from; start < to; ) {
      long end = Math.min(to, (start | OFFSET_MASK) + 1);
      RoaringBitmap block = blocks.get(blockOf(start));
      if (block != null) {
        count += block.rangeCardinality(start & OFFSET_MASK, offsetOfEnd(end));
      }
      start = end;
    }
    return count;
  }

  /**
   * Moves the numbers of one aligned stretch of {@code 64 * words.length} out of the set and into
   * {@code words}, of which all bits are clear.
   *
   * @return how many there were
   */
  int moveTo(long first, long[] words) {
    RoaringBitmap block = blocks.get(blockOf(first));
    if (block == null) {
      return 0;
    }
    long from = first & OFFSET_MASK;
    long to = from + 64L * words.length;
    int moved = 0;
    PeekableIntIterator numbers = block.getIntIterator();
    numbers.advanceIfNeeded((int) from);
    while (numbers.hasNext() && Integer.toUnsignedLong(numbers.peekNext()) < to) {
      int bit = (int) (Integer.toUnsignedLong(numbers.next()) - from);
      words[bit >>> 6] |= 1L << bit;
      moved++;
    }
    block.remove(from, to);
    return moved;
  }

  /** The blocks that hold anything. */
  SortedSet<Integer> blocks() {
    return new TreeSet<>(blocks.keySet());
  }

  /** A copy of one block: the numbers' lowest 32 bits, unsigned. */
  RoaringBitmap copyOf(int block) {
    RoaringBitmap found = blocks.get(block);
    return found == null ? new RoaringBitmap() : found.clone();
  }

  /** Bytes held, as the bitmaps count them. */
  long sizeInBytes() {
    return blocks.values().stream().mapToLong(RoaringBitmap::getLongSizeInBytes).sum();
  }

  static int blockOf(long number) {
    return (int) (number >>> 32);
  }

  static long offsetInBlock(long number) {
    return number & OFFSET_MASK;
  }

  private static long offsetOfEnd(long end) {
    return ((end - 1) & OFFSET_MASK) + 1;
  }

  private RoaringBitmap openBlock(int block) {
    return blocks.computeIfAbsent(block, b -> new RoaringBitmap());
  }
}
