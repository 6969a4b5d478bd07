/** Pairs of Artemis brokers. */
@NullMarked
package org.mqproof.cluster.artemis;

import org.jspecify.annotations.NullMarked;
