package org.mqproof.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.mqproof.Traits;
import org.mqproof.conformance.Step.Kind;

/** Programs are drawn from their seed alone, and made smaller as far as they still fail. */
class ShrinkerTest {

  private static final Traits TRAITS = Traits.mode("any").largestBodyBytes(100_000).build();

  @Test
  void theSameSeedDrawsTheSameProgram() {
    assertThat(draw(17).java()).isEqualTo(draw(17).java());
    Set<String> programs =
        LongStream.range(0, 100).mapToObj(seed -> draw(seed).java()).collect(Collectors.toSet());
    assertThat(programs).hasSizeGreaterThan(95);
  }

  @Test
  void everyKindOfStepIsDrawn() {
    String all =
        LongStream.range(0, 300)
            .mapToObj(seed -> ProgramGenerator.draw(seed, 300, TRAITS, true, seed % 2 == 0).java())
            .collect(Collectors.joining());
    assertThat(all)
        .contains(
            ".send(batch(",
            ".sendAsync(batch(",
            ".receive(",
            "collect(r",
            "backward",
            "shuffled",
            "// again",
            "// refused",
            "mq0.close();",
            "s0.close();",
            "r0.close();",
            "elapse(",
            "deleteQueue",
            "interrupt the thread",
            "which is interrupted",
            "breakConnections",
            "inParallel(",
            "for (int i",
            "all equal",
            "too large");
  }

  @Test
  void whatDoesNotMatterIsLeftOut() {
    int found = 0;
    for (long seed = 0; seed < 200; seed++) {
      Program program = ProgramGenerator.draw(seed, 3_000, TRAITS, true, false);
      if (sendsThenCloses(program)) {
        found++;
        Program shrunk =
            new Shrinker(ShrinkerTest::sendsThenCloses, candidate -> true).shrink(program);
        assertThat(shrunk.steps()).as("%s", shrunk.java()).hasSize(2);
        assertThat(((Step.Send) shrunk.steps().get(0)).batch().count()).isEqualTo(100);
        assertThat(shrunk.java().lines().count()).isLessThanOrEqualTo(5);
      }
    }
    assertThat(found).isGreaterThan(5);
  }

  @Test
  void itEndsWhenThereIsNoMoreTime() {
    Program program = draw(1);
    Shrinker shrinker = new Shrinker(candidate -> true, candidate -> false);
    assertThat(shrinker.shrink(program)).isSameAs(program);
  }

  private static Program draw(long seed) {
    return ProgramGenerator.draw(seed, 300, TRAITS, true, seed % 2 == 0);
  }

  /** As if a batch of at least 100 were lost when some receiver closes later. */
  private static boolean sendsThenCloses(Program program) {
    boolean sent = false;
    for (Step step : flat(program.steps())) {
      if (step instanceof Step.Send send && send.batch().count() >= 100) {
        sent = true;
      } else if (sent && step instanceof Step.Close close && close.kind() == Kind.RECEIVER) {
        return true;
      }
    }
    return false;
  }

  private static List<Step> flat(List<Step> steps) {
    return steps.stream()
        .flatMap(
            step ->
                step instanceof Step.Repeat repeat
                    ? flat(repeat.steps()).stream()
                    : List.of(step).stream())
        .toList();
  }
}
