package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mqproof.cluster.Cluster;

/** A green cell means that its fault happened: each one fails when nothing happens. */
class SwitchedOffFaultsIT extends CrashHarness {

  private boolean replaced;

  SwitchedOffFaultsIT() {
    super("activemq", Map.of("silence.bound", "3s", "connect.bound", "10s", "call.bound", "10s"));
  }

  @Override
  protected Cluster cluster() {
    return new HarmlessCluster(super.cluster());
  }

  @Override
  void kill(ChildJvm child) {}

  @Override
  protected boolean survivesTheLossOfANode() {
    return true;
  }

  @Override
  protected boolean pausedLeaderIsReplaced() {
    return replaced;
  }

  @Override
  protected Duration patience() {
    return Duration.ofSeconds(4);
  }

  /** These runs are none of the matrix. */
  @Override
  void keep(CellRun run) {}

  static Stream<Arguments> faults() {
    return Stream.of(
        fault(ReceiverKilled::withoutBacklog, "the child lives"),
        fault(SenderKilled::new, "children that live"),
        fault(NodeKilled::leader, "killed, and alive"),
        fault(NodeKilled::follower, "killed, and alive"),
        fault(RollingRestart::new, "killed, and alive"),
        fault(ClusterKilled::new, "killed, and alive"),
        fault(LeaderPaused::new, "something is confirmed while node"),
        fault(LeaderIsolated::new, "another leader than node"),
        fault(ClientsCutOff::new, "something is confirmed while the clients were cut off"),
        fault(SlowNetwork::new, "bytes confirmed in"));
  }

  /** Those of no build but the full one. */
  static Stream<Arguments> longFaults() {
    return Stream.of(
        fault(ReceiverKilled::behindBacklog, "the child lives"),
        fault(ReceiverCrashLoop::new, "the child lives"),
        fault(HeldWhileOthersChange::new, "the child lives"));
  }

  private static Arguments fault(Supplier<Fault> fault, String complaint) {
    return Arguments.of(fault.get().name(), fault, complaint);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aFaultWithoutEffectFailsItsCell(String name, Supplier<Fault> fault, String complaint) {
    replaced = false;

    assertThatThrownBy(() -> run(fault.get(), 1))
        .as(name)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(complaint);
  }

  @Tag(Tags.FULL)
  @ParameterizedTest(name = "{0}")
  @MethodSource("longFaults")
  void aLongFaultWithoutEffectFailsItsCell(String name, Supplier<Fault> fault, String complaint) {
    aFaultWithoutEffectFailsItsCell(name, fault, complaint);
  }

  @ParameterizedTest
  @MethodSource("org.mqproof.crash.Seeds#ofThisRun")
  void aPauseWithoutEffectFailsWhereTheLeaderWouldBeReplaced(long seed) {
    replaced = true;

    assertThatThrownBy(() -> run(new LeaderPaused(), seed))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("another leader than node");
  }
}
