/**
 * Sends, receives and schedules: the threads' work on one queue, with the ledger's books kept.
 *
 * <p>{@link org.mqproof.jmh.load.Sending} and {@link org.mqproof.jmh.load.Receiving} belong to one
 * thread each; {@link org.mqproof.jmh.load.TrialParams} says how much of what.
 */
@NullMarked
package org.mqproof.jmh.load;

import org.jspecify.annotations.NullMarked;
