package org.mqproof.jmh.report;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks of the records' fields, with the field's name in each error: a file may have been edited
 * by hand. Stateless, thread-safe.
 */
final class Check {

  private Check() {}

  static <T> T present(String field, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(field + " is missing");
    }
    return value;
  }

  static <T> List<T> list(String field, @Nullable List<T> values) {
    List<T> list = present(field, values);
    for (T value : list) {
      present("an entry of " + field, value);
    }
    return List.copyOf(list);
  }

  /** Sorted by key, so that the same run always gives the same file. */
  static SortedMap<String, String> map(String field, @Nullable Map<String, String> values) {
    SortedMap<String, String> map = new TreeMap<>(present(field, values));
    map.forEach((key, value) -> present("the value of " + key + " in " + field, value));
    return Collections.unmodifiableSortedMap(map);
  }

  static void atLeast(long least, String field, long value) {
    if (value < least) {
      throw new IllegalArgumentException(field + " must be at least " + least + ", was " + value);
    }
  }

  /** Not negative, not NaN, not infinite. */
  static void amount(String field, double value) {
    if (!Double.isFinite(value) || value < 0) {
      throw new IllegalArgumentException(
          field + " must be a finite number of at least 0, was " + value);
    }
  }

  static void amountIfKnown(String field, @Nullable Double value) {
    if (value != null) {
      amount(field, value);
    }
  }
}
