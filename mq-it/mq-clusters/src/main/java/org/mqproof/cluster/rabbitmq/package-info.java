/** Clusters of RabbitMQ. */
@NullMarked
package org.mqproof.cluster.rabbitmq;

import org.jspecify.annotations.NullMarked;
