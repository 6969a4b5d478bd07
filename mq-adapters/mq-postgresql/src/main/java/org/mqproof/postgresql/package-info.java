/**
 * Queues in PostgreSQL tables, with claims by {@code FOR UPDATE SKIP LOCKED}. {@link
 * org.mqproof.postgresql.PostgreSqlMqProvider} is public.
 */
@NullMarked
package org.mqproof.postgresql;

import org.jspecify.annotations.NullMarked;
