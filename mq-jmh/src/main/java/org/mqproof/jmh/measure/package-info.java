/**
 * Clocks, latency distributions, costs and the machine: what turns events into numbers.
 *
 * <p>Nothing in here sends or receives. {@link org.mqproof.jmh.measure.Timeline} collects by second
 * what {@link org.mqproof.jmh.measure.LatencyRecorder} records.
 */
@NullMarked
package org.mqproof.jmh.measure;

import org.jspecify.annotations.NullMarked;
