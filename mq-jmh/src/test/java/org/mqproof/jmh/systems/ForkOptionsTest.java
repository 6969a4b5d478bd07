package org.mqproof.jmh.systems;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.mqproof.jmh.load.TrialParams;

class ForkOptionsTest {

  @Test
  void whatIsHandedToAForkComesOutTheSame() {
    ForkOptions told =
        new ForkOptions(
                Path.of("here").toAbsolutePath(),
                Duration.ofSeconds(7),
                Duration.ofSeconds(3),
                Duration.ZERO,
                Map.of("one", Map.of("a.b", "x=1,2;3")))
            .with("two", Map.of("c", ""));
    Properties properties = new Properties();
    for (String arg : told.jvmArgs()) {
      String[] parts = arg.substring("-D".length()).split("=", 2);
      properties.setProperty(parts[0], parts[1]);
    }

    assertThat(ForkOptions.of(properties, Path.of("elsewhere"))).isEqualTo(told);
  }

  @Test
  void theBenchmarksOwnSettingsWin() {
    ForkOptions told =
        new ForkOptions(
            Path.of("here"),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Map.of("broken", Map.of("fault", "none", "a", "1")));

    assertThat(told.settings(TrialParams.of(Map.of("system", "broken", "settings", "fault=lose"))))
        .isEqualTo(Map.of("fault", "lose", "a", "1"));
  }

  @Test
  void aMalformedBoundIsRefusedByName() {
    Properties properties = new Properties();
    properties.setProperty(ForkOptions.DRAIN_SECONDS, "soon");

    assertThatThrownBy(() -> ForkOptions.of(properties, Path.of("here")))
        .hasMessage(
            "-Dmqproof.drainSeconds cannot be 'soon': it takes a number of seconds from 1 to 86400"
                + " (default 120)");
  }
}
