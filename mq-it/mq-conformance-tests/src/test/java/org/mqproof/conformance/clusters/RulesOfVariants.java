package org.mqproof.conformance.clusters;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips, in a {@link Variant}, all but the random histories of ALO-22, which keep every rule. */
final class RulesOfVariants implements ExecutionCondition {

  private static final String ALL = "mqproof.variants";

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    Variant variant = context.getRequiredTestClass().getAnnotation(Variant.class);
    String test = context.getTestMethod().map(method -> method.getName()).orElse("");
    if (variant == null
        || test.isEmpty()
        || test.startsWith("alo22_")
        || "all".equals(System.getProperty(ALL))) {
      return ConditionEvaluationResult.enabled("");
    }
    return ConditionEvaluationResult.disabled(
        "this build holds "
            + variant.of().getSimpleName()
            + " to it, with the same code; -Pfull holds this mode to it too");
  }
}
