package org.mqproof.jmh.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mqproof.Ordering;
import org.mqproof.ledger.Verdict;

/** How the page says what a row proved and promised. Stateless, thread-safe. */
final class Words {

  private Words() {}

  /** A few words to stand beside a number, for example {@code "✓ nothing lost"}. */
  static String badge(Row row) {
    return switch (row.standing()) {
      case PROVEN -> "✓ nothing lost";
      case UNVERIFIED -> "? not verified";
      case VOID -> "✗ " + (row.failed() ? "failed" : damage(row.verdict()));
    };
  }

  /** What the badge rests on, for example {@code "of 1,234,567 confirmed"}. */
  static String grounds(Row row) {
    Verdict verdict = row.verdict();
    if (verdict == null) {
      return "the ledger was off";
    }
    List<String> parts = new ArrayList<>();
    parts.add("of " + count(verdict.confirmed(), "confirmed"));
    add(parts, verdict.duplicated(), "duplicated");
    add(parts, verdict.recovered(), "recovered");
    add(parts, verdict.rejected(), "rejected");
    add(parts, verdict.deliveredAfterAck(), "deliveries after their ack");
    if (row.traits().ordering() != Ordering.NONE) {
      add(parts, verdict.reordered(), "out of the declared order");
    }
    return String.join(", ", parts);
  }

  /** What is wrong with a verdict that does not hold. */
  private static String damage(@Nullable Verdict verdict) {
    List<String> parts = new ArrayList<>();
    if (verdict != null) {
      add(parts, verdict.lost(), "lost");
      add(parts, verdict.corrupt(), "corrupt");
      add(parts, verdict.unexpected(), "unexpected");
      if (!verdict.drained()) {
        parts.add("not drained, " + count(verdict.unverified(), "not seen"));
      }
    }
    return parts.isEmpty() ? "nothing confirmed" : String.join(", ", parts);
  }

  /** What is in doubt, each once, for example {@code "client-bound?"}. */
  static List<String> doubts(Row row) {
    return row.doubts().stream().map(SelfCheck.Doubt::kind).distinct().map(Words::doubt).toList();
  }

  static String doubt(SelfCheck.Kind kind) {
    return switch (kind) {
      case CLIENT -> "client-bound?";
      case UNSTEADY -> "not steady";
      case BEHIND -> "fell behind";
      case CONTRADICTION -> "contradicts itself";
    };
  }

  /** What a confirmed message survives. */
  static String promise(Row row) {
    if (row.nodes() == 0) {
      return "inside the JVM, no broker";
    }
    DeclaredTraits traits = row.traits();
    if (traits.replicationAwaited()) {
      return "survives the loss of a node";
    }
    if (traits.copies() > 1) {
      return "copies not awaited: losing a node can lose messages";
    }
    return traits.durable() ? "one copy, survives a restart" : "one copy, in memory";
  }

  private static void add(List<String> parts, long count, String what) {
    if (count > 0) {
      parts.add(count(count, what));
    }
  }

  private static String count(long count, String what) {
    return Format.count(count) + " " + what;
  }
}
