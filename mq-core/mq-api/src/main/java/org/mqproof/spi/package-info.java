/**
 * What an adapter implements and declares: {@link org.mqproof.spi.MqProvider}, found by {@link
 * java.util.ServiceLoader}, and its {@linkplain org.mqproof.spi.Setting settings}.
 */
@NullMarked
package org.mqproof.spi;

import org.jspecify.annotations.NullMarked;
