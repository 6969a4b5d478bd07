/**
 * Queues in PostgreSQL tables, with claims by {@code FOR UPDATE SKIP LOCKED}. {@link
 * org.mqproof.postgresql.PostgreSqlMqProvider} and {@link org.mqproof.postgresql.Outbox} are for
 * users.
 */
@NullMarked
package org.mqproof.postgresql;

import org.jspecify.annotations.NullMarked;
