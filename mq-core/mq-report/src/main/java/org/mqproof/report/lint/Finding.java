package org.mqproof.report.lint;

/**
 * A figure that cannot be, or that says nothing. Immutable.
 *
 * @param row the row's name
 * @param figure the column or field
 * @param law what it breaks
 * @param sentence why, with the figures
 */
record Finding(String row, String figure, Law law, String sentence) {

  @Override
  public String toString() {
    return "%s %s: %s [%s]".formatted(row, figure, sentence, law.text());
  }
}
