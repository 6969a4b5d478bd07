package org.mqproof.crash;

/** Marks of tests. */
final class Tags {

  /**
   * Not in every build: a mode, or a fault, that differs little from one that is. {@code mvn
   * -Pfull} runs it.
   */
  static final String FULL = "full";

  private Tags() {}
}
