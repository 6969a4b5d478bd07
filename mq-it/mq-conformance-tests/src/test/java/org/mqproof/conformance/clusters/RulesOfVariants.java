package org.mqproof.conformance.clusters;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips, in a {@link Variant}, the rules that cannot tell it from the mode that it varies. */
final class RulesOfVariants implements ExecutionCondition {

  private static final String ALL = "mqproof.variants";

  /** What is stored, confirmed, delivered and acked, under one user and under many. */
  private static final Set<String> RULES =
      Set.of("alo01", "alo03", "alo04", "alo09", "alo10", "alo17", "alo22");

  private static final Pattern RULE = Pattern.compile("(alo\\d\\d)_.*");

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    Variant variant = context.getRequiredTestClass().getAnnotation(Variant.class);
    String test = context.getTestMethod().map(method -> method.getName()).orElse("");
    Matcher rule = RULE.matcher(test);
    if (variant == null
        || !rule.matches()
        || RULES.contains(rule.group(1))
        || "all".equals(System.getProperty(ALL))) {
      return ConditionEvaluationResult.enabled("");
    }
    return ConditionEvaluationResult.disabled(
        "this build holds "
            + variant.of().getSimpleName()
            + " to it, with the same code; -Pfull holds this mode to it too");
  }
}
