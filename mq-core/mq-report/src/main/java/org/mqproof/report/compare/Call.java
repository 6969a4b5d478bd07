package org.mqproof.report.compare;

/** What is said of one benchmark. */
enum Call {
  SLOWER("slower"),
  FASTER("faster"),
  /** The interval is narrow enough that a change of twice the threshold would show. */
  NO_DIFFERENCE("no difference shown"),
  TOO_NOISY("too noisy to tell"),
  /** Only in one of the runs, or never proven. */
  NOT_COMPARED("not compared"),
  /** It was proven before, and is not any more: worse than slow. */
  PROOF_LOST("NOT PROVEN ANY MORE");

  private final String text;

  Call(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  /** Whether it was compared as a rate. */
  boolean compared() {
    return this != NOT_COMPARED && this != PROOF_LOST;
  }

  /** Whether a gate should stop it. */
  boolean bad() {
    return this == SLOWER || this == PROOF_LOST;
  }
}
