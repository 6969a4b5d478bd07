/** Tests of the RabbitMQ adapter; those named {@code *IT} run a real cluster of three nodes. */
@NullMarked
package org.mqproof.rabbitmq;

import org.jspecify.annotations.NullMarked;
