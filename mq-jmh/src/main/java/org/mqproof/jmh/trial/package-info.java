/**
 * One trial of a benchmark: a connection, a fresh queue, a ledger, and all threads' senders and
 * receivers.
 *
 * <p>{@link org.mqproof.jmh.trial.Trial} connects and ends, {@code Window} opens and closes
 * iterations for all threads together, {@link org.mqproof.jmh.trial.Backpressure} holds senders
 * back. A {@link org.mqproof.jmh.trial.TrialFile} is what a fork leaves.
 */
@NullMarked
package org.mqproof.jmh.trial;

import org.jspecify.annotations.NullMarked;
