/**
 * An adapter beside the clients that others measure with: the same broker, the same guarantee, the
 * same settings, in one run. Start with {@link org.mqproof.comparison.Comparison}.
 */
@NullMarked
package org.mqproof.comparison;

import org.jspecify.annotations.NullMarked;
