package org.mqproof.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

  private static final List<String> KNOWN = List.of("small", "large");

  private static Arguments parse(String... args) {
    return Arguments.parse(args, KNOWN);
  }

  @Test
  void withoutArgumentsAllWorkloadsRunInFivePairs() {
    assertThat(parse()).isEqualTo(new Arguments(false, false, 5, Map.of(), KNOWN));
  }

  @Test
  void everyOptionIsRead() {
    assertThat(parse("large", "--pairs", "12", "--no-cluster", "--set", "a.b=c=d", "--set", "e="))
        .isEqualTo(new Arguments(false, true, 12, Map.of("a.b", "c=d", "e", ""), List.of("large")));
  }

  @Test
  void whatMakesNoSenseIsRefusedInOneSentence() {
    assertThatThrownBy(() -> parse("small", "--pairs", "0"))
        .hasMessage("--pairs needs a number from 1 to 999, was '0'");
    assertThatThrownBy(() -> parse("small", "--pairs")).hasMessage("--pairs needs a value");
    assertThatThrownBy(() -> parse("--set", "prefetch"))
        .hasMessage("--set needs key=value, was 'prefetch'");
    assertThatThrownBy(() -> parse("--pair"))
        .hasMessage("no workload or option '--pair'; there are small, large, and --help");
  }
}
