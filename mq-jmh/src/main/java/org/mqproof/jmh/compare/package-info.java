/**
 * Says whether one run is slower than another, and how sure that is. {@code docs/compare.md} states
 * the method.
 *
 * <p>{@link org.mqproof.jmh.compare.CompareCommand} is the way in.
 */
@NullMarked
package org.mqproof.jmh.compare;

import org.jspecify.annotations.NullMarked;
