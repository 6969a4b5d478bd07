/**
 * Micrometer meters around any {@link org.mqproof.Mq}: {@link
 * org.mqproof.micrometer.MqMetrics#monitor}.
 */
@NullMarked
package org.mqproof.micrometer;

import org.jspecify.annotations.NullMarked;
