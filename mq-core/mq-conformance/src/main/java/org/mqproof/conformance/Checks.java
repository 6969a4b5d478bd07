package org.mqproof.conformance;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Marks a test of the kit, and says which rule it checks. */
@Test
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Checks.THREADS_AND_SOCKETS, mode = ResourceAccessMode.READ)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Checks {

  /** What the JVM has open. Each test changes it, so one that compares it runs alone. */
  String THREADS_AND_SOCKETS = "org.mqproof.conformance.threads-and-sockets";

  /** Order of the test that waits for several claim periods: it begins first. */
  int LONGEST = 0;

  /** Order of a test that may wait for the end of claims: it begins before those that do not. */
  int LONG = 1;

  AloRule value();
}
