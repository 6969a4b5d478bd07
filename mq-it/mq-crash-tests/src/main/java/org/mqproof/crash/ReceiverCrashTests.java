package org.mqproof.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

/**
 * The cells of the fault matrix that depend on how a mode receives: a receiver's process is killed,
 * nodes are killed, restarted or paused under load.
 *
 * <p>Each test asserts that its fault took effect, prints the times it saw, and ends with a
 * verdict.
 */
public abstract class ReceiverCrashTests extends CrashHarness {

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param mode settings of the mode; those of the cluster are added
   */
  protected ReceiverCrashTests(String system, Map<String, String> mode) {
    super(system, mode);
  }

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param variant system properties of the cluster's provider, and their values
   * @param mode settings of the mode; those of the cluster are added
   */
  protected ReceiverCrashTests(
      String system, Map<String, String> variant, Map<String, String> mode) {
    super(system, variant, mode);
  }

  @Seeds.Each
  @DisplayName("ALO-07 a receiver killed between receive and ack gives its messages back")
  void alo07_killedReceiverGivesItsMessagesBack(long seed) throws Exception {
    run(ReceiverKilled.withoutBacklog(), seed);
  }

  /** {@link #alo07_killedReceiverGivesItsMessagesBack} is in every build. */
  @Tag(Tags.FULL)
  @Seeds.Each
  @DisplayName("ALO-07 ALO-23 so does one whose messages wait behind a backlog that grows")
  void alo07_alo23_killedReceiverBehindABacklog(long seed) throws Exception {
    run(ReceiverKilled.behindBacklog(), seed);
  }

  @Tag(Tags.FULL)
  @Seeds.Each
  @DisplayName("ALO-07 ten receivers that are killed one after the other put no message aside")
  void alo07_crashLoopPutsNothingAside(long seed) throws Exception {
    run(new ReceiverCrashLoop(), seed);
  }

  @Tag(Tags.FULL)
  @Seeds.Each
  @DisplayName("ALO-07 a receiver that works for minutes stops nobody while others come and die")
  void alo07_heldWhileOthersChange(long seed) throws Exception {
    run(new HeldWhileOthersChange(), seed);
  }

  @Seeds.Each
  @DisplayName("ALO-02 ALO-20 the leader is killed under load: nothing is lost, work goes on")
  void alo02_alo20_leaderKilled(long seed) throws Exception {
    run(NodeKilled.leader(), seed);
  }

  @Seeds.Each
  @DisplayName("ALO-02 ALO-20 a follower is killed under load: nothing is lost, work goes on")
  void alo02_alo20_followerKilled(long seed) throws Exception {
    assumeOtherNodes();
    run(NodeKilled.follower(), seed);
  }

  /** Leaders and followers, killed one after the other: each alone is in every build. */
  @Tag(Tags.FULL)
  @Seeds.Each
  @DisplayName("ALO-02 ALO-20 every node in turn is restarted under load: nothing is lost")
  void alo02_alo20_rollingRestart(long seed) throws Exception {
    assumeOtherNodes();
    run(new RollingRestart(), seed);
  }

  private void assumeOtherNodes() {
    assumeTrue(cluster().nodes() > 1, "the leader is the only node");
  }

  @Seeds.Each
  @DisplayName("ALO-18 ALO-20 a leader paused past its session timeout stops nobody for good")
  void alo18_alo20_leaderPaused(long seed) throws Exception {
    run(new LeaderPaused(), seed);
  }
}
