/** Clusters of Kafka. */
@NullMarked
package org.mqproof.cluster.kafka;

import org.jspecify.annotations.NullMarked;
