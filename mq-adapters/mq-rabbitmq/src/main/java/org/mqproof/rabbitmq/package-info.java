/**
 * Queues on RabbitMQ, over AMQP 0-9-1: quorum queues, classic ones, or classic mirrored ones. Only
 * {@link org.mqproof.rabbitmq.RabbitMqProvider} is public.
 */
@NullMarked
package org.mqproof.rabbitmq;

import org.jspecify.annotations.NullMarked;
