package org.mqproof.jmh.load;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How an open loop spreads its messages over time. Immutable.
 *
 * @param kind evenly, by chance or many at once
 * @param burst messages of one sender that are due at the same moment; 1 unless {@code BURSTS}
 */
public record Arrivals(Kind kind, int burst) {

  /** How the times between sends come about. */
  public enum Kind {
    /** Every send at its exact time. */
    CONSTANT,
    /** As independent users send: gaps are exponential, so some sends come close together. */
    POISSON,
    /** So many messages at once, then a gap that makes the rate right. */
    BURSTS
  }

  private static final Pattern BURSTS = Pattern.compile("bursts:(\\d{1,9})");

  /**
   * Reads the parameter {@code arrivals}.
   *
   * @throws IllegalArgumentException with one sentence that says what it takes
   */
  static Arrivals parse(String text) {
    Matcher bursts = BURSTS.matcher(text);
    if (text.equals("constant")) {
      return new Arrivals(Kind.CONSTANT, 1);
    } else if (text.equals("poisson")) {
      return new Arrivals(Kind.POISSON, 1);
    } else if (bursts.matches() && Integer.parseInt(bursts.group(1)) >= 1) {
      return new Arrivals(Kind.BURSTS, Integer.parseInt(bursts.group(1)));
    }
    throw new IllegalArgumentException(
        "arrivals cannot be '%s': it takes constant, poisson, or bursts:N with N messages of each sender at once"
            .formatted(text));
  }

  /** As the parameter was written. */
  @Override
  public String toString() {
    return kind == Kind.BURSTS ? "bursts:" + burst : kind.name().toLowerCase(Locale.ROOT);
  }
}
