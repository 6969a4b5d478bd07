/**
 * The command {@code sustain}: the largest rate at which a system keeps to an objective.
 *
 * <p>Nothing in here measures: {@link org.mqproof.jmh.sustain.RateSearch} decides which rate to try
 * next, {@link org.mqproof.jmh.sustain.Objective} whether a row met the objective.
 */
@NullMarked
package org.mqproof.jmh.sustain;

import org.jspecify.annotations.NullMarked;
