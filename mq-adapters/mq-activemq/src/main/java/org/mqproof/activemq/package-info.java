/**
 * Queues on Apache ActiveMQ Classic. Only {@link org.mqproof.activemq.ActiveMqMqProvider} is
 * public.
 */
@NullMarked
package org.mqproof.activemq;

import org.jspecify.annotations.NullMarked;
