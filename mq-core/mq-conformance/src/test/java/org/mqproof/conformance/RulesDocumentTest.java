package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The registry, the document made from it, and the kit agree. */
class RulesDocumentTest {

  private static final Path DOCUMENT = Path.of("..", "..", "docs", "rules.md");

  /** What follows is made from the broken queues, by SharpnessTest of mq-memory. */
  private static final String END = "<!-- kill matrix -->\n";

  @Test
  void theDocumentIsMadeFromTheRegistry() throws IOException {
    String document = Files.exists(DOCUMENT) ? Files.readString(DOCUMENT, UTF_8) : "";
    int end = document.indexOf(END);
    String rules = end < 0 ? document : document.substring(0, end);
    if (Boolean.getBoolean("rules.update")) {
      String rest = end < 0 ? END : document.substring(end);
      Files.createDirectories(DOCUMENT.resolveSibling("."));
      Files.writeString(DOCUMENT, rendered() + rest, UTF_8);
      rules = rendered();
    }
    assertThat(rules)
        .as("docs/rules.md differs from AloRule: run this test with -Drules.update=true")
        .isEqualTo(rendered());
  }

  @Test
  void theKitChecksEveryRuleThatItShould() {
    Set<AloRule> checked = EnumSet.noneOf(AloRule.class);
    testMethods().forEach(method -> checked.add(method.getAnnotation(Checks.class).value()));
    assertThat(AloRule.values())
        .allSatisfy(
            rule ->
                assertThat(checked.contains(rule)).as("%s", rule).isEqualTo(rule.checkedByKit()));
  }

  @Test
  void namesOfTestsBeginWithTheirRule() {
    assertThat(testMethods())
        .allSatisfy(
            method -> {
              AloRule rule = method.getAnnotation(Checks.class).value();
              assertThat(method.getName())
                  .startsWith(rule.id().toLowerCase(Locale.ROOT).replace("-", "") + "_");
              assertThat(method.getAnnotation(DisplayName.class).value())
                  .startsWith(rule.id() + " ");
            });
  }

  @Test
  void everyRuleSaysWhatToLookAt() {
    assertThat(AloRule.values())
        .allSatisfy(
            rule -> {
              assertThat(rule.lookAt()).isNotEmpty();
              assertThat(rule.sentence()).endsWith(".");
            });
  }

  private static Stream<Method> testMethods() {
    return Stream.<Class<?>>iterate(
            MqConformance.class, type -> type != Object.class, Class::getSuperclass)
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .filter(method -> method.isAnnotationPresent(Checks.class));
  }

  private static String rendered() {
    StringBuilder text = new StringBuilder();
    text.append("<!-- Made from AloRule and from the broken queues of mq-memory. Do not edit:\n");
    text.append(
        "     mvn -pl mq-core/mq-conformance,mq-adapters/mq-memory -am test -Drules.update=true -->\n");
    text.append("# The rules\n\n");
    text.append("Every adapter must keep these rules. Each is a MUST; ids are never used again.\n");
    text.append("*kit*: checked by `MqConformance`, which every adapter's tests extend; *crash");
    text.append(
        " tests*:\nchecked on real clusters whose processes are killed. A rule that cannot");
    text.append(" be checked for an\nadapter is skipped with its reason, never dropped.\n\n");
    text.append("| Id | Level | Rule | Checked in |\n|---|---|---|---|\n");
    for (AloRule rule : AloRule.values()) {
      text.append(
          "| [%1$s](#%2$s) | %3$s | %4$s | %5$s |\n"
              .formatted(rule.id(), anchor(rule), rule.level(), rule.sentence(), rule.checkedIn()));
    }
    for (AloRule rule : AloRule.values()) {
      text.append("\n## ").append(rule.id()).append("\n\n");
      text.append("**").append(rule.sentence()).append("**\n");
      text.append(rule.why()).append("\n\n");
      text.append("Checked in: ").append(rule.checkedIn()).append(". ");
      text.append(rule.how()).append("\n\n");
      text.append("If this fails, check in this order:\n\n");
      for (int i = 0; i < rule.lookAt().size(); i++) {
        text.append(i + 1).append(". ").append(rule.lookAt().get(i)).append('\n');
      }
    }
    return text.append('\n').toString();
  }

  private static String anchor(AloRule rule) {
    return rule.id().toLowerCase(Locale.ROOT);
  }
}
