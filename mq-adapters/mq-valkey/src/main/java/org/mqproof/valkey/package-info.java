/**
 * Queues in Valkey streams: one stream and one consumer group each. Only {@link
 * org.mqproof.valkey.ValkeyMqProvider} is public.
 */
@NullMarked
package org.mqproof.valkey;

import org.jspecify.annotations.NullMarked;
