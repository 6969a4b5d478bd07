/**
 * Queues in MongoDB collections, with claims by conditional updates. Only {@link
 * org.mqproof.mongodb.MongoMqProvider} is public.
 */
@NullMarked
package org.mqproof.mongodb;

import org.jspecify.annotations.NullMarked;
