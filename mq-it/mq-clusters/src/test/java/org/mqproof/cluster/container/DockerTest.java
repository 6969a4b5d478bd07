package org.mqproof.cluster.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is missing is told in seconds, with what to do about it. */
class DockerTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void anEngineThatDoesNotAnswerIsNamed() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(Docker.SWITCHES);
    environment.put("DOCKER_HOST", "tcp://127.0.0.1:1");

    assertThat(whyUnavailableSoon(new Docker(environment), "no/such:image").orElseThrow())
        .startsWith("no Docker engine answers (")
        .contains("apt-get install docker.io");
  }

  @Test
  void testcontainersMustNotPull() {
    assertThat(whyUnavailableSoon(new Docker(Map.of()), "no/such:image").orElseThrow())
        .contains("TESTCONTAINERS_RYUK_DISABLED=true");
  }

  private static Optional<String> whyUnavailableSoon(Docker docker, String image) {
    long askedAt = System.nanoTime();
    Optional<String> why = docker.whyUnavailable(image, "build it");
    assertThat(Duration.ofNanos(System.nanoTime() - askedAt)).isLessThan(SOON);
    return why;
  }
}
