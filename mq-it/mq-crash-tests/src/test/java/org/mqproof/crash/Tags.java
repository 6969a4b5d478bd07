package org.mqproof.crash;

/** Marks of test classes. */
final class Tags {

  /**
   * Not in every build: a mode that differs little from one that is. {@code mvn -Pfull} runs it.
   */
  static final String FULL = "full";

  private Tags() {}
}
