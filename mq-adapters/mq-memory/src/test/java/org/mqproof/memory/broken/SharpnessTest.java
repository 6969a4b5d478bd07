package org.mqproof.memory.broken;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.mqproof.conformance.AloRule;

/** The kit finds each defect, names the rule it breaks, and blames no other rule. */
class SharpnessTest {

  private static final Path DOCUMENT = Path.of("..", "..", "docs", "rules.md");

  /** What precedes is made from AloRule, by RulesDocumentTest of mq-conformance. */
  private static final String START = "<!-- kill matrix -->\n";

  /** Whether the kit's tests of rules that a queue keeps run too; without, a build is short. */
  private static final boolean WHOLE = Boolean.getBoolean("matrix.whole");

  private static final Pattern RULE = Pattern.compile("ALO-(\\d\\d)");

  /**
   * The kit sends what a queue takes in time, and in a JVM that has just started no queue is fast:
   * batches would be smaller than the defects need.
   */
  @BeforeAll
  static void warmUp() throws IOException {
    List<Event> unused = runKit(Defect.BATCH_CUT);
  }

  @ParameterizedTest
  @EnumSource
  void theKitFindsExactly(Defect defect) throws Exception {
    List<Event> failed = runKit(defect);
    Map<AloRule, List<String>> texts = new EnumMap<>(AloRule.class);
    List<String> others = new ArrayList<>();
    for (Event event : failed) {
      String text = textOf(event);
      Matcher rule = RULE.matcher(event.getTestDescriptor().getDisplayName());
      if (rule.find()) {
        texts
            .computeIfAbsent(AloRule.valueOf("ALO_" + rule.group(1)), r -> new ArrayList<>())
            .add(text);
      } else {
        others.add(event.getTestDescriptor().getDisplayName() + ": " + text);
      }
    }
    String contract = defect.breaksContract();
    assertThat(others).as("failures outside the rules").allMatch(text -> text.contains(contract));
    assertThat(others.isEmpty()).as("%s", others).isEqualTo(contract.isEmpty());
    // Random histories and competitors may meet any defect.
    texts.remove(AloRule.ALO_22);
    if (!defect.kills.contains(AloRule.ALO_17)) {
      texts.remove(AloRule.ALO_17);
    }
    assertThat(texts).as("%s", texts).containsOnlyKeys(defect.kills);
    texts.forEach(
        (rule, ofRule) ->
            assertThat(ofRule)
                .allSatisfy(
                    text ->
                        assertThat(text)
                            .startsWith(rule.id() + " is broken: " + rule.sentence())
                            .contains("look at 1: "))
                .anySatisfy(text -> assertThat(text).doesNotContain("could not be shown")));
    assertThat(String.join("\n", texts.values().stream().flatMap(List::stream).toList()))
        .contains(defect.says);
  }

  private static List<Event> runKit(Defect defect) throws IOException {
    try {
      BrokenConformance.defect = defect;
      // Side by side, because most of a test waits for what a broken queue does not do.
      return EngineTestKit.engine("junit-jupiter")
          .selectors(selectClass(BrokenConformance.class))
          .filters((PostDiscoveryFilter) test -> FilterResult.includedIf(isRun(test, defect)))
          .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
          .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
          .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "8")
          .execute()
          .testEvents()
          .failed()
          .list();
    } finally {
      for (BrokenConnections leaks : BrokenConformance.LEAKS) {
        leaks.close();
      }
      BrokenConformance.LEAKS.clear();
    }
  }

  /** The tests of the rest of the contract always run, and the one of ALO-26, which is short. */
  private static boolean isRun(TestDescriptor test, Defect defect) {
    Matcher rule = RULE.matcher(test.getDisplayName());
    return !test.isTest()
        || WHOLE
        || !rule.find()
        || rule.group().equals(AloRule.ALO_26.id())
        || defect.kills.contains(AloRule.valueOf("ALO_" + rule.group(1)));
  }

  @Test
  void everyRuleOfTheKitHasABrokenQueueThatFailsItAlone() {
    for (AloRule rule : EnumSet.complementOf(EnumSet.of(AloRule.ALO_22))) {
      assertThat(Stream.of(Defect.values()).anyMatch(d -> d.kills.equals(Set.of(rule))))
          .as("%s is killed alone", rule)
          .isEqualTo(rule.checkedByKit());
    }
    assertThat(Stream.of(Defect.values()).filter(defect -> defect.ofAPublishedTool)).hasSize(10);
  }

  @Test
  @SuppressWarnings("SystemOut") // the build shows how sharp the kit is
  void theDocumentHoldsTheKillMatrix() throws IOException {
    String matrix = matrix();
    System.out.println(matrix);
    String document = Files.exists(DOCUMENT) ? Files.readString(DOCUMENT, UTF_8) : START;
    int start = document.indexOf(START);
    assertThat(start).as("place of the kill matrix in docs/rules.md").isNotNegative();
    if (Boolean.getBoolean("rules.update")) {
      document = document.substring(0, start) + START + matrix;
      Files.writeString(DOCUMENT, document, UTF_8);
    }
    assertThat(document.substring(start + START.length()))
        .as("docs/rules.md differs from Defect: run this test with -Drules.update=true")
        .isEqualTo(matrix);
  }

  private static String matrix() {
    List<AloRule> rules =
        Stream.of(AloRule.values())
            .filter(AloRule::checkedByKit)
            .filter(rule -> rule != AloRule.ALO_22)
            .toList();
    StringBuilder text = new StringBuilder();
    text.append("## The kill matrix\n\n");
    text.append("Each row is a queue that is broken on purpose, each column a rule, and **x**");
    text.append(" says that the kit finds the\nrule broken. A row without **x** breaks a part of");
    text.append(" the contract that has no number, such as the declared\norder. The build runs");
    text.append(" the rules that a queue breaks, and the rest of the contract, on each queue.");
    text.append(" It\nfails if one of them is not found, or if a rule has no queue that breaks it");
    text.append(" alone. `-Pfull` runs the\nwhole kit on each, and fails if it finds any other");
    text.append(" rule broken. A star marks a defect that was found\nin a published tool.\n\n|");
    text.append(" Broken queue |");
    rules.forEach(rule -> text.append(' ').append(rule.id().substring(4)).append(" |"));
    text.append("\n|---|").append("---|".repeat(rules.size())).append('\n');
    for (Defect defect : Defect.values()) {
      text.append("| ").append(defect.sentence).append(defect.ofAPublishedTool ? " \\*" : "");
      text.append(" |");
      for (AloRule rule : rules) {
        text.append(defect.kills.contains(rule) ? " **x** |" : "  |");
      }
      text.append('\n');
    }
    text.append("\nNot in the matrix, because only tests that kill processes check them: ");
    text.append(
        Stream.of(AloRule.values())
            .filter(rule -> !rule.checkedByKit())
            .map(AloRule::id)
            .collect(Collectors.joining(", ")));
    return text.append(".\n").toString();
  }

  private static String textOf(Event event) {
    return String.valueOf(
        event
            .getRequiredPayload(TestExecutionResult.class)
            .getThrowable()
            .map(Throwable::getMessage)
            .orElse("no text"));
  }
}
