/** Clusters of RocketMQ brokers with their controllers. */
@NullMarked
package org.mqproof.cluster.rocketmq;

import org.jspecify.annotations.NullMarked;
