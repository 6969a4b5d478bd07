/**
 * The rules that every {@link org.mqproof.Mq} is held to, and a JUnit 5 kit that checks them.
 *
 * <p>{@link org.mqproof.conformance.AloRule} is the registry; {@code docs/rules.md} is made from
 * it. An adapter's tests carry the kit by extending {@link org.mqproof.conformance.MqConformance}.
 */
@NullMarked
package org.mqproof.conformance;

import org.jspecify.annotations.NullMarked;
