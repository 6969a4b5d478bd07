package org.mqproof.conformance.clusters;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A mode that shares all of its adapter's code with the mode named here, but for how messages are
 * stored or confirmed. Only the rules that see such a difference run in each build, ALO-22 among
 * them, whose random histories keep every rule; {@code -Pfull} runs all of them.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Variant {

  /** The mode in which every build runs every rule. */
  Class<? extends ClusterConformance> of();
}
