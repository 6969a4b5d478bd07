package org.mqproof.kafka;

import java.util.Arrays;

/**
 * Which of a partition's delivered offsets are acked, and up to where all of them are.
 *
 * <p>Costs one increment per ack in order, and one bit per offset between the first that is not
 * acked and the last that is. Not thread-safe.
 */
final class AckedPrefix {

  // Bit o % 64 of word (o / 64) % words.length stands for offset o; set only within [prefix, next).
  private long[] words = new long[2];
  private final long first;
  private long prefix;
  private long next;

  /**
   * Starts with nothing delivered.
   *
   * @param first the first offset that can be delivered
   */
  AckedPrefix(long first) {
    this.first = first;
    prefix = first;
    next = first;
  }

  /** The first offset that could be delivered. */
  long first() {
    return first;
  }

  /** All offsets below this one are acked: what can be committed. */
  long prefix() {
    return prefix;
  }

  /** Whether everything delivered is acked. */
  boolean isWhole() {
    return prefix == next;
  }

  /**
   * Notes deliveries. Offsets that are left out count as acked: the log has nothing there.
   *
   * @param first the first offset delivered, not below one delivered before
   * @param last the last one; everything between them is delivered
   */
  void deliver(long first, long last) {
    if (first < next || last < first) {
      throw new IllegalArgumentException(first + " to " + last + " after " + next);
    }
    long gap = next;
    next = last + 1;
    for (; gap < first; gap++) {
      ack(gap);
    }
  }

  /**
   * Acks an offset.
   *
   * @param offset one that was delivered; nothing happens if it was acked before
   */
  void ack(long offset) {
    if (offset >= next) {
      throw new IllegalArgumentException(offset + " was not delivered, only below " + next);
    }
    if (offset > prefix) {
      set(offset);
    } else if (offset == prefix) {
      prefix++;
      absorb();
    }
  }

  /**
   * Whether an offset is acked.
   *
   * @param offset one that was delivered
   */
  boolean isAcked(long offset) {
    if (offset < prefix) {
      return true;
    }
    boolean mayBeSet = (offset >> 6) - (prefix >> 6) < words.length;
    return mayBeSet && (words[index(offset)] & (1L << (offset & 63))) != 0;
  }

  /** Moves the prefix over the offsets after it that were acked earlier. */
  private void absorb() {
    while (prefix < next) {
      int index = index(prefix);
      long word = words[index];
      if (word == 0) {
        return;
      }
      // The word's bits from the prefix on, shifted to the bottom: the ones among them are acked.
      int bit = (int) (prefix & 63);
      int run = Long.numberOfTrailingZeros(~(word >>> bit));
      run = Math.min(run, 64 - bit);
      if (run == 0) {
        return;
      }
      words[index] = word & ~(mask(run) << bit);
      prefix += run;
    }
  }

  private static long mask(int bits) {
    return bits == 64 ? -1L : (1L << bits) - 1;
  }

  private void set(long offset) {
    long needed = (offset >> 6) - (prefix >> 6) + 1;
    if (needed > words.length) {
      grow(needed);
    }
    words[index(offset)] |= 1L << (offset & 63);
  }

  private void grow(long needed) {
    long[] old = words;
    int oldMask = old.length - 1;
    words = new long[Math.toIntExact(Long.highestOneBit(needed) << 1)];
    long firstWord = prefix >> 6;
    for (long word = firstWord; word < firstWord + old.length; word++) {
      words[(int) (word & (words.length - 1))] = old[(int) (word & oldMask)];
    }
  }

  private int index(long offset) {
    return (int) ((offset >> 6) & (words.length - 1));
  }

  @Override
  public String toString() {
    return "AckedPrefix[prefix="
        + prefix
        + ", next="
        + next
        + ", words="
        + Arrays.toString(words)
        + "]";
  }
}
