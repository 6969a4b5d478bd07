package org.mqproof.report.compare;

import java.util.Optional;

/**
 * What is said of one benchmark with one set of parameters. Immutable.
 *
 * @param label what it is
 * @param call the verdict
 * @param words the verdict with its reason, for a table
 * @param ratio empty if it was not compared
 * @param before mean rate, messages per second; 0 if it was not compared
 * @param after mean rate, messages per second; 0 if it was not compared
 */
record Comparison(
    String label, Call call, String words, Optional<Ratio> ratio, double before, double after) {

  static Comparison not(String label, Call call, String why) {
    return new Comparison(label, call, call.text() + ": " + why, Optional.empty(), 0, 0);
  }
}
