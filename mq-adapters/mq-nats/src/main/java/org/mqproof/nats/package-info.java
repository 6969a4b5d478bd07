/**
 * Queues in NATS JetStream: one work-queue stream and one durable consumer each. Only {@link
 * org.mqproof.nats.NatsMqProvider} is public.
 */
@NullMarked
package org.mqproof.nats;

import org.jspecify.annotations.NullMarked;
