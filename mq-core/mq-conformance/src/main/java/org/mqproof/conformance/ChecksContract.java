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

/** Marks a test of what the contract promises beside the rules. */
@Test
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Checks.THREADS_AND_SOCKETS, mode = ResourceAccessMode.READ)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface ChecksContract {}
