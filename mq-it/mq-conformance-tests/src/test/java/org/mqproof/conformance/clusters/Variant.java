package org.mqproof.conformance.clusters;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A mode that shares all of its adapter's code with the mode named here, but for how messages are
 * stored or confirmed. Each build holds it to ALO-22, whose random histories keep every rule;
 * {@code -Pfull} runs every rule.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Variant {

  /** The mode in which every build runs every rule. */
  Class<? extends ClusterConformance> of();
}
