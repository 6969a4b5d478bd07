package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class TestClusterTest {

  private static final Provider MISSING = new Provider(Optional.of("install it"));

  @Test
  void whatCannotRunIsSkippedWithItsReason() {
    assertThatThrownBy(() -> TestCluster.runnable(MISSING, "kafka"))
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("no cluster of rarity: install it");
  }

  @Test
  void whatIsRequiredAndCannotRunFails() {
    assertThatThrownBy(() -> TestCluster.runnable(MISSING, "kafka,rarity"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no cluster of rarity: install it");
  }

  @Test
  void whatCanRunIsNotSkipped() {
    Provider there = new Provider(Optional.empty());

    assertThat(TestCluster.runnable(there, "rarity")).isSameAs(there);
  }

  private record Provider(Optional<String> whyUnavailable) implements ClusterProvider {

    @Override
    public String system() {
      return "rarity";
    }

    @Override
    public Cluster start(Tuning tuning, Consumer<String> progress) {
      throw new AssertionError("not to be started");
    }
  }
}
