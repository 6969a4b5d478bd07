package org.mqproof.ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/** The first few messages of one kind, for a failure's text. Not thread-safe. */
final class Examples {

  static final int MOST = 10;

  private final String kind;
  private final List<String> texts = new ArrayList<>();

  Examples(String kind) {
    this.kind = kind;
  }

  boolean isFull() {
    return texts.size() >= MOST;
  }

  void add(String text) {
    if (!isFull()) {
      texts.add(kind + ": " + text);
    }
  }

  void addAll(Examples others) {
    others.texts.stream().limit(MOST - texts.size()).forEach(texts::add);
  }

  /** Adds messages of one block as ranges. */
  void add(int sender, int block, RoaringBitmap messages, String why) {
    long base = (long) block << 32;
    PeekableIntIterator numbers = messages.getIntIterator();
    while (numbers.hasNext() && !isFull()) {
      long first = Integer.toUnsignedLong(numbers.next());
      long last = first;
      while (numbers.hasNext() && Integer.toUnsignedLong(numbers.peekNext()) == last + 1) {
        last = Integer.toUnsignedLong(numbers.next());
      }
      String range =
          first == last
              ? "sequence " + (base + first)
              : "sequences %d-%d".formatted(base + first, base + last);
      add("sender %d %s%s".formatted(sender, range, why));
    }
  }

  /** Merges kinds in their order, the longest lists shortened first, so that each kind shows. */
  static List<String> mergeKinds(List<Examples> kinds) {
    return shortened(kinds.stream().map(kind -> kind.texts).toList());
  }

  /** Shortens what was merged before, in the same way. */
  static List<String> merge(List<String> texts) {
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    for (String text : texts) {
      String kind = text.substring(0, Math.max(0, text.indexOf(':')));
      kinds.computeIfAbsent(kind, k -> new ArrayList<>()).add(text);
    }
    return shortened(List.copyOf(kinds.values()));
  }

  private static List<String> shortened(List<List<String>> kinds) {
    List<List<String>> lists =
        kinds.stream().map(ArrayList::new).<List<String>>map(list -> list).toList();
    while (lists.stream().mapToInt(List::size).sum() > MOST) {
      List<String> longest = lists.get(0);
      for (List<String> list : lists) {
        if (list.size() > longest.size()) {
          longest = list;
        }
      }
      longest.remove(longest.size() - 1);
    }
    return lists.stream().flatMap(List::stream).toList();
  }
}
