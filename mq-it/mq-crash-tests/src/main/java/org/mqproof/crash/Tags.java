package org.mqproof.crash;

/** Marks of tests. */
final class Tags {

  /**
   * Not in every build: a mode, or a fault, that differs little from one that is. {@code mvn
   * -Pfull} runs it.
   */
  static final String FULL = "full";

  /** Lasts an hour: {@code mvn -Psoak} runs it, and nothing else. */
  static final String SOAK = "soak";

  private Tags() {}
}
