/** ActiveMQ Classic brokers that share a store, or replicate it. */
@NullMarked
package org.mqproof.cluster.activemq;

import org.jspecify.annotations.NullMarked;
