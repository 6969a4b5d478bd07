package org.mqproof.report.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Comparisons as a table, for a console or in Markdown. Stateless, thread-safe. */
final class Text {

  private Text() {}

  static String table(List<Comparison> comparisons) {
    List<List<String>> lines = lines(comparisons);
    int[] widths = new int[lines.get(0).size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String pad = " ".repeat(widths[i] - line.get(i).length());
        boolean number = i > 0 && i < widths.length - 1;
        one.append(number ? pad + line.get(i) : line.get(i) + pad).append("  ");
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  static String markdown(List<Comparison> comparisons, String method, List<String> warnings) {
    StringBuilder text = new StringBuilder("### ").append(headline(comparisons)).append("\n\n");
    List<List<String>> lines = lines(comparisons);
    for (int i = 0; i < lines.size(); i++) {
      text.append("| ");
      text.append(
          String.join(" | ", lines.get(i).stream().map(cell -> cell.replace("|", "\\|")).toList()));
      text.append(" |\n");
      if (i == 0) {
        text.append("|---|--:|--:|--:|--:|---|\n");
      }
    }
    text.append('\n').append(method).append('\n');
    warnings.forEach(warning -> text.append("\n**").append(warning).append("**\n"));
    return text.toString();
  }

  /** The gravest first. */
  static String headline(List<Comparison> comparisons) {
    List<String> parts = new ArrayList<>();
    for (Call call :
        List.of(
            Call.PROOF_LOST,
            Call.SLOWER,
            Call.TOO_NOISY,
            Call.FASTER,
            Call.NO_DIFFERENCE,
            Call.NOT_COMPARED)) {
      long count = comparisons.stream().filter(c -> c.call() == call).count();
      if (count > 0) {
        parts.add(count + " " + call.text());
      }
    }
    return String.join(", ", parts);
  }

  private static List<List<String>> lines(List<Comparison> comparisons) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(
        List.of("benchmark", "before, msgs/s", "after, msgs/s", "ratio", "interval", "verdict"));
    for (Comparison comparison : comparisons) {
      lines.add(
          List.of(
              comparison.label(),
              rate(comparison.before()),
              rate(comparison.after()),
              comparison.ratio().map(ratio -> three(ratio.value())).orElse("-"),
              comparison
                  .ratio()
                  .map(ratio -> three(ratio.low()) + " to " + three(ratio.high()))
                  .orElse("-"),
              comparison.words()));
    }
    return lines;
  }

  private static String rate(double messagesPerSecond) {
    return messagesPerSecond == 0 ? "-" : String.format(Locale.ROOT, "%,.0f", messagesPerSecond);
  }

  private static String three(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
