package org.mqproof.jmh.load;

import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many messages a batch has: always the same, or uniform from the least to the most. Immutable.
 *
 * @param least smallest batch, at least 1
 * @param most largest batch
 */
public record BatchSizes(int least, int most) {

  private static final Pattern TEXT = Pattern.compile("(\\d{1,6})(?:\\.\\.(\\d{1,6}))?");

  /** Drawn in advance, so that a send pays for an array access and not for a random number. */
  private static final int DRAWN = 1 << 12;

  static BatchSizes parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (matcher.matches()) {
      int least = Integer.parseInt(matcher.group(1));
      int most = matcher.group(2) == null ? least : Integer.parseInt(matcher.group(2));
      if (least >= 1 && least <= most) {
        return new BatchSizes(least, most);
      }
    }
    throw new IllegalArgumentException(
        "batch cannot be '%s': it takes a fixed size like 10, or a range like 1..10"
            .formatted(text));
  }

  /**
   * Sizes to send in turn, and again from the start.
   *
   * @param seed the same seed draws the same sizes
   * @return {@link #DRAWN} sizes, a power of two
   */
  int[] draw(long seed) {
    return new SplittableRandom(seed).ints(DRAWN, least, most + 1).toArray();
  }
}
