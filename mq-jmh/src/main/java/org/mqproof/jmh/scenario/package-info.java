/**
 * The scenarios of the studies as data: what to run, and what was published.
 *
 * <p>{@link org.mqproof.jmh.scenario.Scenario} is one of them, {@link
 * org.mqproof.jmh.scenario.PublishedComparison} puts its published figures beside ours.
 */
@NullMarked
package org.mqproof.jmh.scenario;

import org.jspecify.annotations.NullMarked;
