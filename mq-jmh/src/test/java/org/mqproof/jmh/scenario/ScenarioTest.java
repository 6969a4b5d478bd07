package org.mqproof.jmh.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.openjdk.jmh.runner.options.CommandLineOptions;

final class ScenarioTest {

  static final List<String> NAMES = Scenario.NAMES;

  @Test
  void everyFileHasItsNameInTheList() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src", "main", "resources", "scenarios"))) {
      assertThat(files.map(file -> String.valueOf(file.getFileName()).replace(".yaml", "")))
          .containsExactlyInAnyOrderElementsOf(Scenario.NAMES);
    }
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void aScenarioIsWhatJmhTakes(String name) throws Exception {
    Scenario scenario = Scenario.named(name);

    assertThat(scenario.title()).isNotBlank();
    assertThat(scenario.study()).matches("(S[0-4],|none:) .*");
    assertThat(scenario.minutes()).isBetween(1, 15);
    assertThat(scenario.differs()).isNotEmpty().allMatch(sentence -> sentence.endsWith("."));
    for (List<String> line : commandLines(scenario, List.of(), 1)) {
      CommandLineOptions options = new CommandLineOptions(line.toArray(String[]::new));
      assertThat(options.getIncludes()).hasSize(1);
      assertThat(options.getForkCount().get()).isEqualTo(1);
      assertThat(options.getParameter("system").hasValue()).isTrue();
    }
  }

  @Test
  void itSaysHowLongItTakesWithEachSystem() {
    assertThat(Scenario.named("s0-scaling").time())
        .matches("about 3 min with kafka; with --scale 0\\.1 it took kafka \\d+ s, rabbitmq .+");
    assertThat(Scenario.named("s1-rtt").time()).isEqualTo("about 14 min with activemq");
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void theDocumentTellsTheSameTimes(String name) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("..", "docs", "methodology.md"));

    Scenario.named(name)
        .tenthSeconds()
        .forEach(
            (system, seconds) ->
                assertThat(lines)
                    .as(system)
                    .anyMatch(
                        line ->
                            line.startsWith("| `" + name + "` |")
                                && line.contains(": %,d s".formatted(seconds))));
  }

  @Test
  void anotherSystemRunsInItsDefaultModeUnlessToldOtherwise() {
    Scenario scenario = Scenario.named("s3-many-queues");

    assertThat(commandLines(scenario, List.of("-p", "system=kafka"), 1))
        .allMatch(line -> line.contains("system=kafka"))
        .noneMatch(line -> line.toString().contains("mode="));
    assertThat(commandLines(scenario, List.of("-p", "system=kafka", "-p", "mode=acks=1"), 1))
        .allMatch(line -> line.contains("mode=acks=1"));
    assertThat(commandLines(scenario, List.of("-p", "system=rabbitmq"), 1))
        .allMatch(line -> line.contains("mode=queue.type=quorum"));
  }

  @Test
  void parametersAndOptionsCanBeReplacedAndScaled() {
    assertThat(
            commandLines(
                Scenario.named("s0-scaling"),
                List.of("-p", "system=memory", "-f", "2", "-tg", "2,3"),
                0.2))
        .containsExactly(
            List.of(
                "\\.FlowBenchmark\\.",
                "-f",
                "2",
                "-wi",
                "2",
                "-w",
                "600ms",
                "-i",
                "5",
                "-r",
                "1000ms",
                "-tg",
                "2,3",
                "-p",
                "system=memory",
                "-p",
                "batch=1..10",
                "-p",
                "bodyBytes=100",
                "-p",
                "receiveMax=10"));
    assertThat(commandLines(Scenario.named("s2-loopback"), List.of(), 0.1))
        .hasSize(4)
        .anyMatch(line -> line.contains("prefill=10000"));
    assertThat(commandLines(Scenario.named("s4-backlog"), List.of(), 0.2))
        .allMatch(line -> line.contains("buildUp=2000") && line.contains("rate=2000"))
        .allMatch(line -> line.contains("3000ms"));
  }

  @Test
  void whatIsNoScenarioIsSaidWithAllNames() {
    assertThatThrownBy(() -> Scenario.named("s9"))
        .hasMessage("there is no scenario 's9'; there are " + String.join(", ", Scenario.NAMES));
    assertThatThrownBy(() -> commandLines(Scenario.named("s0-scaling"), List.of("batch"), 1))
        .hasMessageStartingWith("a scenario takes options with a value each");
  }

  @Test
  void eachAmountOfAnAxisIsAForkOfItsOwn() {
    List<Scenario.Line> lines = Scenario.named("growth").lines(List.of(), 1);

    assertThat(lines.stream().filter(line -> "queues".equals(line.axis())))
        .extracting(line -> line.args().get(line.args().indexOf("mode=capacity=100000000") + 2))
        .containsExactly("queues=1", "queues=5", "queues=20", "queues=50");
    assertThat(Scenario.named("growth").axes())
        .containsExactly("messages", "queues", "threads", "backlog", "bodies");
    assertThat(Scenario.named("growth").lines(List.of(), 0.1))
        .as("what is counted is scaled")
        .anyMatch(line -> line.args().contains("earlier=1000000"))
        .noneMatch(line -> line.args().contains("earlier=10000000"));
  }

  @Test
  void oneAxisCanBeChosen() {
    assertThat(ScenarioArgs.of(List.of("growth", "--axis", "bodies", "-f", "2")).lines())
        .isNotEmpty()
        .allMatch(line -> "bodies".equals(line.axis()) && line.args().contains("2"));
    assertThatThrownBy(() -> ScenarioArgs.of(List.of("growth", "--axis", "heaps")))
        .hasMessage(
            "--axis cannot be 'heaps': growth has messages, queues, threads, backlog, bodies");
    assertThatThrownBy(() -> ScenarioArgs.of(List.of("s0-scaling", "--axis", "bodies")))
        .hasMessage("--axis is not for s0-scaling, which has no axes");
  }

  private static List<List<String>> commandLines(
      Scenario scenario, List<String> own, double scale) {
    return scenario.lines(own, scale).stream().map(Scenario.Line::args).toList();
  }
}
