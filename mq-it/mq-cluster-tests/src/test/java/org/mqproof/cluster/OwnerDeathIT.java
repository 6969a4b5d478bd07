package org.mqproof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * However the JVM that owns a cluster ends, nothing is left; with nodes that only sleep. INT and
 * HUP end a JVM as TERM does: the tests with brokers send KILL, that of ElasticMQ TERM too, and
 * with {@code -Pfull} those of Kafka and RabbitMQ.
 */
class OwnerDeathIT {

  @ParameterizedTest(name = "SIG{0}")
  @ValueSource(strings = {"INT", "TERM", "HUP", "KILL"})
  void nothingIsLeftAfterASignal(String signal) throws Exception {
    try (Owner owner = new Owner(Owner.SLEEPING, "wait")) {
      owner.endBy(signal);
    }
  }

  @Test
  void nothingIsLeftAfterAnUncaughtException() throws Exception {
    try (Owner owner = new Owner(Owner.SLEEPING, "wait")) {
      owner.crash();

      owner.awaitEnd();
      owner.awaitNothingLeft();
    }
  }

  @Test
  @DisplayName("a paused node does not outlive the SIGKILL of its owner")
  void nothingIsLeftThoughANodeWasPaused() throws Exception {
    try (Owner owner = new Owner(Owner.SLEEPING, "pause")) {
      owner.endBy("KILL");
    }
  }

  @ParameterizedTest(name = "SIG{0}")
  @ValueSource(strings = {"INT", "KILL"})
  @DisplayName("no network and no cut in it outlives its owner")
  void nothingIsLeftOfANetwork(String signal) throws Exception {
    TestCluster.require("network");
    try (Owner owner = new Owner(Owner.SLEEPING, "isolate")) {
      assertThat(owner.links).hasSize(1);

      owner.endBy(signal);
    }
  }

  @ParameterizedTest(name = "SIG{0}")
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  @DisplayName("no disk outlives its owner: no mount, no loop device")
  void nothingIsLeftOfADisk(String signal) throws Exception {
    TestCluster.require("power");
    try (Owner owner = new Owner(Owner.SLEEPING, "disk")) {
      assertThat(Mounts.loopDevicesOf(owner.directory)).hasSize(1);

      owner.endBy(signal);
    }
  }
}
