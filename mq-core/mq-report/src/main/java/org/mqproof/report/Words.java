package org.mqproof.report;

import java.util.List;
import java.util.Locale;
import org.mqproof.PowerCut;
import org.mqproof.ledger.Judgement;
import org.mqproof.ledger.Verdict;

/** How the page says what a row proved and promised. Stateless, thread-safe. */
final class Words {

  private Words() {}

  /** A few words to stand beside a number, for example {@code "✓ holds"}. */
  static String badge(Row row) {
    Verdict verdict = row.proof().verdict();
    if (row.failed()) {
      return "✗ failed";
    }
    if (verdict == null) {
      return "? not verified";
    }
    Judgement judgement = verdict.judgement();
    return (judgement.holds() ? "✓ " : "✗ ") + judgement.headline();
  }

  /** A light beside each number: may it be quoted? */
  static void mark(Html html, Row row) {
    Mark mark = Mark.of(row);
    String light =
        switch (mark.kind()) {
          case QUOTE -> "● ";
          case ROUGH -> "◐ ";
          case DO_NOT_QUOTE -> "○ ";
        };
    html.element(
        "span",
        light + mark.kind().words(),
        "class",
        "badge mark " + mark.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        "title",
        mark.sentence());
  }

  /** What the badge rests on, for example {@code "1,234,567 confirmed"}. */
  static String grounds(Row row) {
    Verdict verdict = row.proof().verdict();
    return verdict == null ? "the ledger was off" : verdict.judgement().details();
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
      case NOT_HELD -> "rate not held";
      case CONTRADICTION -> "contradicts itself";
    };
  }

  /** What a confirmed message survives. */
  static String promise(Row row) {
    if (row.target().nodes() == 0) {
      return "inside the JVM, no broker";
    }
    DeclaredTraits traits = row.target().traits();
    if (traits.replicationAwaited()) {
      return traits.powerCut() == PowerCut.LOST
          ? "survives the loss of a node, not of the power"
          : "survives the loss of a node";
    }
    if (traits.copies() > 1) {
      return "copies not awaited: losing a node can lose messages";
    }
    return traits.durable() ? "one copy, survives a restart" : "one copy, in memory";
  }

  /** The slowest and the fastest measured iteration. */
  static String range(Throughput rate) {
    return switch (rate.iterations().size()) {
      case 0 -> "one run";
      case 1 -> "1 iteration";
      default -> Format.rate(rate.least()) + " to" + Format.NBSP + Format.rate(rate.most());
    };
  }
}
