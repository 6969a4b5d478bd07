/** Clusters of NATS with JetStream. */
@NullMarked
package org.mqproof.cluster.nats;

import org.jspecify.annotations.NullMarked;
