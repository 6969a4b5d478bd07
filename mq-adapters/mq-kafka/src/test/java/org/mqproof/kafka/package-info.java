/** Tests of the Kafka adapter; those named {@code *IT} run a real cluster of three nodes. */
@NullMarked
package org.mqproof.kafka;

import org.jspecify.annotations.NullMarked;
