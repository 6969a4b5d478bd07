package org.mqproof.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mqproof.cluster.ClusterProvider;

class ComparisonTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private int run(String... args) throws Exception {
    return PairsMain.comparison(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(errors, true, StandardCharsets.UTF_8))
        .run(args);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void eachRunHasItsOwnProcessAndTheOrderAlternates() throws Exception {
    assertThat(run("--pairs", "2", "twice")).isZero();

    assertThat(printed())
        .contains("twice: mq-none against a slow one")
        .contains("pair 1: 200 msgs/s (1.5 us CPU, ? bytes each) against 100 msgs/s")
        .contains("ratio 2.00")
        .contains("median ratio 2.00 (from 2.00 to 2.00)");
    // The pair that does not count, then two whose order differs.
    assertThat(all("(ours|theirs) in process"))
        .containsExactly("ours", "theirs", "ours", "theirs", "theirs", "ours");
    assertThat(all("in process (\\d+)")).hasSize(6).doesNotHaveDuplicates();
  }

  private List<String> all(String pattern) {
    return Pattern.compile(pattern).matcher(printed()).results().map(hit -> hit.group(1)).toList();
  }

  @Test
  void bothSidesSeeWhatWasSetAndWhatWasPrepared() throws Exception {
    assertThat(run("--pairs", "1", "--set", "ours=7", "told")).isZero();

    assertThat(printed()).contains("7 msgs/s").contains("70 msgs/s").contains("ratio 0.10");
  }

  @Test
  void eachSideGetsInInItsOwnWay() throws Exception {
    assertThat(run("--pairs", "1", "by-tls")).isZero();

    assertThat(printed()).contains("pair 1: 1 msgs/s").contains("against 0 msgs/s");
    assertThat(System.getProperty(ClusterProvider.SECURITY_PROPERTY))
        .isEqualTo(ClusterProvider.TLS);
  }

  @AfterEach
  void others() {
    System.clearProperty(ClusterProvider.SECURITY_PROPERTY);
  }

  @Test
  void aSideThatFailsEndsTheRun() {
    assertThatThrownBy(() -> run("--pairs", "1", "failing"))
        .isInstanceOf(IOException.class)
        .hasMessage("mq-none of failing failed; what it said is above");
  }

  @Test
  void aNameThatIsNoneIsAnsweredWithThoseThereAre() throws Exception {
    assertThat(run("twise")).isEqualTo(2);

    assertThat(errors.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines(
            "no workload or option 'twise'; there are twice, told, by-tls, failing, and --help");
    assertThat(printed()).isEmpty();
  }

  @Test
  void helpListsTheWorkloads() throws Exception {
    assertThat(run("--help", "twice")).isZero();

    assertThat(printed())
        .contains("--pairs N")
        .contains("  twice    against a slow one")
        .contains("  failing  against nothing");
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTheMiddleTwo() {
    assertThat(Comparison.median(List.of(1.0, 2.0, 9.0))).isEqualTo(2.0);
    assertThat(Comparison.median(List.of(1.0, 2.0, 4.0, 9.0))).isEqualTo(3.0);
  }
}
