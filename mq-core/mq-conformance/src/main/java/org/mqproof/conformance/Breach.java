package org.mqproof.conformance;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A rule does not hold. Its text names the rule, what was seen and what to look at. */
final class Breach extends AssertionError {

  private static final long serialVersionUID = 1L;

  Breach(@Nullable AloRule rule, String saw, String where, @Nullable Throwable cause) {
    super(text(rule, saw, where), cause);
  }

  private static String text(@Nullable AloRule rule, String saw, String where) {
    StringBuilder text = new StringBuilder();
    text.append(
        rule == null ? "The contract is broken" : rule.id() + " is broken: " + rule.sentence());
    text.append("\n  saw: ").append(saw);
    text.append("\n  where: ").append(where);
    List<String> lookAt = rule == null ? List.of() : rule.lookAt();
    for (int i = 0; i < lookAt.size(); i++) {
      text.append("\n  look at ").append(i + 1).append(": ").append(lookAt.get(i));
    }
    return text.toString();
  }
}
