package org.mqproof.comparison;

import java.util.Locale;

/**
 * What one side reached, and what its client's process used for it. Immutable.
 *
 * @param messagesPerSecond what counts
 * @param cpuMicrosPerMessage CPU time of the client; NaN if unknown
 * @param bytesPerMessage what the client allocated on the Java heap; NaN if unknown
 */
public record Rate(double messagesPerSecond, double cpuMicrosPerMessage, double bytesPerMessage) {

  /**
   * From what was moved between two moments.
   *
   * @param messages how many
   * @param from what the client had used before
   * @param to what it had used afterwards
   * @return the rate
   */
  public static Rate between(long messages, Usage from, Usage to) {
    return of(messages * 1e9 / (to.nanos() - from.nanos()), from, to);
  }

  /**
   * From a rate that is known, and what was used meanwhile.
   *
   * @param messagesPerSecond between the two moments
   * @param from what the client had used before
   * @param to what it had used afterwards
   * @return the rate
   */
  public static Rate of(double messagesPerSecond, Usage from, Usage to) {
    double cpus = (double) (to.cpuNanos() - from.cpuNanos()) / (to.nanos() - from.nanos());
    long knownNanos = to.allocatedNanos() - from.allocatedNanos();
    double bytesPerSecond =
        knownNanos == 0
            ? Double.NaN
            : (to.allocatedBytes() - from.allocatedBytes()) * 1e9 / knownNanos;
    return new Rate(
        messagesPerSecond, cpus * 1e6 / messagesPerSecond, bytesPerSecond / messagesPerSecond);
  }

  /** Three numbers, for {@link #parse}. */
  String format() {
    return messagesPerSecond + " " + cpuMicrosPerMessage + " " + bytesPerMessage;
  }

  static Rate parse(String formatted) {
    String[] numbers = formatted.split(" ", 3);
    return new Rate(
        Double.parseDouble(numbers[0]),
        Double.parseDouble(numbers[1]),
        Double.parseDouble(numbers[2]));
  }

  /** For people, for example {@code 12,345 msgs/s (81 us CPU, 2,700 bytes each)}. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,.0f msgs/s (%.1f us CPU, %s bytes each)",
        messagesPerSecond,
        cpuMicrosPerMessage,
        Double.isNaN(bytesPerMessage) ? "?" : String.format(Locale.ROOT, "%,.0f", bytesPerMessage));
  }
}
