package org.mqproof.ledger;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.BitSetUtil;
import org.roaringbitmap.RoaringBitmap;

/**
 * A set of sequence numbers that are mostly dense and mostly added in order: plain pages of 65,536
 * bits where numbers are being added, compressed bitmaps for everything else.
 *
 * <p>Adding to the page last used is a few instructions, and many pages may be open at once, so the
 * interleaved runs of a partitioned queue cost little more than one run does. A page that is full
 * is compressed to almost nothing. Not thread-safe.
 */
final class DenseSet {

  private static final int PAGE_BITS = 1 << 16;

  /**
   * Open pages that a set may have at any size: 32 MiB, enough for 268 million numbers added in any
   * order. Only numbers scattered over a far wider range reach it.
   */
  private static final int MOST_OPEN_PAGES = 4096;

  private final int mostOpenPages;
  private final Map<Long, Page> open = new LinkedHashMap<>();
  private final SparseSet closed = new SparseSet();
  private @Nullable Page last;
  private long size;
  private long end;

  DenseSet() {
    this(MOST_OPEN_PAGES);
  }

  DenseSet(int mostOpenPages) {
    this.mostOpenPages = mostOpenPages;
  }

  /**
   * Adds every number from {@code from} to below {@code to}.
   *
   * @param again is given each number that was in the set before, or null
   * @return how many were not in the set before
   */
  long add(long from, long to, @Nullable SparseSet again) {
    long before = size;
    for (long start = from; start < to; ) {
      long stop = Math.min(to, (start | (PAGE_BITS - 1)) + 1);
      Page page = find(start >>> 16);
      if (page == null && closed.count(start, stop) == stop - start) {
        // A late duplicate: opening the page again would cost far more than this look.
        if (again != null) {
          again.add(start, stop);
        }
      } else {
        addTo(page == null ? openPage(start >>> 16) : page, start, stop, again);
      }
      start = stop;
    }
    end = Math.max(end, to);
    return size - before;
  }

  /** How many numbers from {@code from} to below {@code to} are in the set. */
  long count(long from, long to) {
    long count = 0;
    long inSet = Math.min(to, end);
    for (long start = from; start < inSet; ) {
      long stop = Math.min(inSet, (start | (PAGE_BITS - 1)) + 1);
      Page page = find(start >>> 16);
      count += page == null ? closed.count(start, stop) : page.count(start, stop);
      start = stop;
    }
    return count;
  }

  /** How many numbers are in the set. */
  long size() {
    return size;
  }

  /** One past the highest number that was added; 0 if none was. */
  long end() {
    return end;
  }

  /** The blocks of 2^32 numbers that hold anything. */
  SortedSet<Integer> blocks() {
    SortedSet<Integer> blocks = closed.blocks();
    open.values().forEach(page -> blocks.add(SparseSet.blockOf(page.first())));
    return blocks;
  }

  /** A copy of one block: the numbers' lowest 32 bits, unsigned. */
  RoaringBitmap copyOf(int block) {
    RoaringBitmap copy = closed.copyOf(block);
    for (Page page : open.values()) {
      if (SparseSet.blockOf(page.first()) == block) {
        copy.or(page.compressed());
      }
    }
    return copy;
  }

  /** Bytes held by pages and bitmaps. */
  long sizeInBytes() {
    return closed.sizeInBytes() + (long) open.size() * PAGE_BITS / 8;
  }

  private void addTo(Page page, long from, long to, @Nullable SparseSet again) {
    size += page.add(from, to, again);
    if (page.isFull()) {
      open.remove(page.key);
      last = null;
      closed.add(page.first(), page.first() + PAGE_BITS);
    }
  }

  private @Nullable Page find(long key) {
    Page page = last;
    if (page != null && page.key == key) {
      return page;
    }
    page = open.get(key);
    if (page != null) {
      last = page;
    }
    return page;
  }

  private Page openPage(long key) {
    if (open.size() >= mostOpenPages + size / PAGE_BITS) {
      Iterator<Page> oldest = open.values().iterator();
      Page page = oldest.next();
      oldest.remove();
      closed.addAll(SparseSet.blockOf(page.first()), page.compressed());
    }
    Page page = new Page(key);
    page.load(closed);
    open.put(key, page);
    last = page;
    return page;
  }

  private static final class Page {

    final long key;
    private final long[] words = new long[PAGE_BITS / 64];
    private int count;

    Page(long key) {
      this.key = key;
    }

    long first() {
      return key * PAGE_BITS;
    }

    boolean isFull() {
      return count == PAGE_BITS;
    }

    void load(SparseSet from) {
      count = from.moveTo(first(), words);
    }

    int add(long from, long to, @Nullable SparseSet again) {
      int before = count;
      int lastWord = word(to - 1);
      for (int word = word(from); word <= lastWord; word++) {
        long mask = mask(word, from, to);
        long present = words[word] & mask;
        words[word] |= mask;
        count += Long.bitCount(mask ^ present);
        if (present != 0 && again != null) {
          addEach(present, first() + word * 64L, again);
        }
      }
      return count - before;
    }

    long count(long from, long to) {
      long found = 0;
      int lastWord = word(to - 1);
      for (int word = word(from); word <= lastWord; word++) {
        found += Long.bitCount(words[word] & mask(word, from, to));
      }
      return found;
    }

    RoaringBitmap compressed() {
      RoaringBitmap bits = BitSetUtil.bitmapOf(words);
      bits.runOptimize();
      return RoaringBitmap.addOffset(bits, SparseSet.offsetInBlock(first()));
    }

    private static void addEach(long bits, long first, SparseSet to) {
      for (long left = bits; left != 0; left &= left - 1) {
        long number = first + Long.numberOfTrailingZeros(left);
        to.add(number, number + 1);
      }
    }

    private static int word(long number) {
      return (int) (number & (PAGE_BITS - 1)) >>> 6;
    }

    /** The bits of a word that stand for numbers from {@code from} to below {@code to}. */
    private static long mask(int word, long from, long to) {
      long mask = -1L;
      if (word == word(from)) {
        mask <<= from; // by its lowest six bits
      }
      if (word == word(to - 1)) {
        mask &= -1L >>> -to;
      }
      return mask;
    }
  }
}
