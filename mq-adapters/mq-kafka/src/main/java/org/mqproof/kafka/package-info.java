/**
 * Queues on Apache Kafka: a queue is a topic, its receivers are a consumer group or a share group.
 * Only {@link org.mqproof.kafka.KafkaMqProvider} is public.
 */
@NullMarked
package org.mqproof.kafka;

import org.jspecify.annotations.NullMarked;
