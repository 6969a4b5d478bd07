/**
 * JMH benchmarks of any system that has an adapter, on JMH's own command line. Every rate carries
 * the verdict of the ledger that watched it.
 *
 * <p>{@link org.mqproof.jmh.SendBenchmark}, {@link org.mqproof.jmh.ReceiveBenchmark} and {@link
 * org.mqproof.jmh.FlowBenchmark} are the benchmarks. What is public here is so because JMH's
 * generated code needs it; there is no API to program against but the results in {@link
 * org.mqproof.report}. How each number is measured is in {@code docs/methodology.md}.
 */
@NullMarked
package org.mqproof.jmh;

import org.jspecify.annotations.NullMarked;
