package org.mqproof.report.lint;

/** What a figure breaks. */
enum Law {
  /** Calls under way = rate x mean time of a call. */
  LITTLE("Little's law"),
  /** A percentile cannot be far above the mean, nor the mean far above the percentiles. */
  MARKOV("Markov's inequality"),
  /** A percentile is at most the next one, and the mean lies between least and most. */
  ORDER("order"),
  /** Counts and rates that follow from each other. */
  ARITHMETIC("arithmetic"),
  /** The figure is what a histogram with coarse buckets prints for its first bucket. */
  BUCKET("bucket artefact"),
  /** The figure is the end of the scale. */
  SATURATION("saturation");

  private final String text;

  Law(String text) {
    this.text = text;
  }

  /** Its name in a sentence. */
  String text() {
    return text;
  }
}
