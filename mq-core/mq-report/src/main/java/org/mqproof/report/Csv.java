package org.mqproof.report;

/** Text in a CSV file. Stateless, thread-safe. */
final class Csv {

  private Csv() {}

  /** Quoted always; a leading apostrophe keeps a spreadsheet from running a formula. */
  static String cell(String text) {
    boolean formula = !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0;
    return '"' + (formula ? "'" : "") + text.replace("\"", "\"\"") + '"';
  }
}
