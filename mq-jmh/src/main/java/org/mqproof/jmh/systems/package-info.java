/**
 * The systems under test: clusters to start, settings to connect with, and secrets to hide.
 *
 * <p>{@link org.mqproof.jmh.systems.Systems} starts and warms clusters up, {@link
 * org.mqproof.jmh.systems.ForkOptions} tells forks how to reach them.
 */
@NullMarked
package org.mqproof.jmh.systems;

import org.jspecify.annotations.NullMarked;
