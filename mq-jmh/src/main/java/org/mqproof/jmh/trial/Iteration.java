package org.mqproof.jmh.trial;

import java.util.Map;
import org.mqproof.jmh.measure.Distribution;
import org.mqproof.jmh.measure.ProcessCost;
import org.mqproof.jmh.measure.Timeline;

/**
 * What one measured iteration gave.
 *
 * @param times by kind
 * @param cost what the process used
 * @param messages sent, or received where there are receivers
 * @param nanos from the start of the window to the last message
 */
public record Iteration(
    Map<Timeline.Kind, Distribution> times, ProcessCost cost, long messages, long nanos) {}
