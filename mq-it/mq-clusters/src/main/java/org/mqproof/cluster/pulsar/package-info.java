/** Clusters of Pulsar. */
@NullMarked
package org.mqproof.cluster.pulsar;

import org.jspecify.annotations.NullMarked;
