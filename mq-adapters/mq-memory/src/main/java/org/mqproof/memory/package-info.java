/**
 * The reference queue, inside one JVM: correct, quick, and fit for unit tests.
 *
 * <p>A {@link org.mqproof.memory.MemoryBroker} keeps the queues and their messages, however many
 * connections come and go. It outlives none of its JVM: nothing is written to disk. Its time can be
 * moved by {@link org.mqproof.memory.MemoryBroker#advance}, so that claims expire without waiting,
 * and it can be made to refuse calls or to hang, so that a test sees what its code does then.
 */
@NullMarked
package org.mqproof.memory;

import org.jspecify.annotations.NullMarked;
