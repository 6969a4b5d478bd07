/**
 * Connections that are wrong on purpose, to show that the kit sees it. Every {@link org.mqproof.Mq}
 * here is broken. Do not use any of it.
 */
@NullMarked
package org.mqproof.memory.broken;

import org.jspecify.annotations.NullMarked;
