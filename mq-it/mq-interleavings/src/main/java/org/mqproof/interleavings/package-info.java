/**
 * Model checking of races between threads, by Lincheck: a {@link org.mqproof.interleavings.Race} is
 * run again and again, each time with other switches between its threads, and a {@link
 * org.mqproof.interleavings.Mutant} of a class under test shows that it would see a defect.
 */
@NullMarked
package org.mqproof.interleavings;

import org.jspecify.annotations.NullMarked;
