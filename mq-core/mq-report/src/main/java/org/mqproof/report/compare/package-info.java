/**
 * Says whether one run is slower than another, and how sure that is. {@code docs/compare.md} states
 * the method.
 *
 * <p>{@link org.mqproof.report.compare.CompareCommand} is the way in.
 */
@NullMarked
package org.mqproof.report.compare;

import org.jspecify.annotations.NullMarked;
