/**
 * Queues on EventStoreDB, today KurrentDB, over gRPC: a queue is a stream, and its receivers are
 * the competing consumers of one persistent subscription. Only {@link
 * org.mqproof.eventstore.EventStoreMqProvider} is public.
 */
@NullMarked
package org.mqproof.eventstore;

import org.jspecify.annotations.NullMarked;
