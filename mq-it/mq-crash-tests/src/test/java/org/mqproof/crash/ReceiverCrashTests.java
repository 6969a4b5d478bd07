package org.mqproof.crash;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mqproof.Receiver;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.Verdict;

/**
 * The rules marked <em>crash</em> that depend on how a mode receives: a receiver's process is
 * killed, and the leader is killed or paused under load.
 *
 * <p>Each test asserts that its fault took effect, prints the times it saw, and ends with a
 * verdict.
 */
abstract class ReceiverCrashTests extends CrashHarness {

  private @Nullable LeaderKilled leaderKilled;

  ReceiverCrashTests(String system, Map<String, String> mode) {
    super(system, mode);
  }

  ReceiverCrashTests(String system, Map<String, String> variant, Map<String, String> mode) {
    super(system, variant, mode);
  }

  @Test
  @DisplayName("ALO-07 a receiver killed between receive and ack gives its messages back")
  void alo07_killedReceiverGivesItsMessagesBack() throws Exception {
    int messages = 300;
    Ledger ledger = new Ledger();
    Map<ByteBuffer, Long> sequences = sendAll(ledger, messages);
    Set<Long> claimed = ConcurrentHashMap.newKeySet();
    CountDownLatch holding = new CountDownLatch(1);
    try (ChildJvm child =
        new ChildJvm(
            ReceiverMain.class,
            List.of(system, queue, "50"),
            settings(),
            line -> {
              if (line.startsWith("claimed ")) {
                byte[] body = Base64.getDecoder().decode(line.substring(8));
                claimed.add(sequences.getOrDefault(ByteBuffer.wrap(body), -1L));
              } else {
                holding.countDown();
              }
            })) {
      assertThat(holding.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("the child has claimed messages")
          .isTrue();
      ReceiverLog log = ledger.newReceiver();
      try (Receiver receiver = mq().receiver(queue)) {
        Set<Long> seen = new HashSet<>();
        long joinedAt = System.nanoTime();
        while (Await.since(joinedAt).compareTo(Duration.ofSeconds(2)) < 0) {
          receiveAndAck(receiver, log).forEach(body -> seen.add(sequences.get(body)));
        }
        assertThat(claimed)
            .as("sequences the child claims")
            .hasSizeBetween(1, 50)
            .doesNotContain(-1L);
        assertThat(seen)
            .as("sequences hidden while the child lives")
            .doesNotContainAnyElementsOf(claimed);

        child.kill();
        long killedAt = System.nanoTime();
        Set<Long> missing = new HashSet<>(claimed);
        @Nullable Duration first = null;
        Duration bound = mq().traits().redeliveryBound();
        while (!missing.isEmpty() && Await.since(killedAt).compareTo(bound) <= 0) {
          for (ByteBuffer body : receiveAndAck(receiver, log)) {
            if (missing.remove(sequences.get(body)) && first == null) {
              first = Await.since(killedAt);
            }
          }
        }
        Duration last = Await.since(killedAt);

        assertThat(missing)
            .as("sequences claimed by the dead and not back after %s", bound)
            .isEmpty();
        boolean drained = receiveRest(receiver, log, ledger);
        conclude(
            "ALO-07",
            "%d claimed messages came back %s to %s after the kill, bound %s"
                .formatted(
                    claimed.size(),
                    Await.millis(requireNonNull(first)),
                    Await.millis(last),
                    Await.millis(bound)),
            ledger.verdict(drained),
            true);
      }
    }
  }

  /** What was seen when the leader was killed under load and restarted; two rules judge it. */
  private record LeaderKilled(
      Duration sendGap,
      Duration receiveGap,
      Duration everySenderBack,
      Duration inSync,
      long confirmedAfterwards,
      String errors,
      Verdict verdict) {

    String times() {
      return "leader killed and restarted: send gap %s, receive gap %s, every sender back after %s,"
              .formatted(
                  Await.millis(sendGap), Await.millis(receiveGap), Await.millis(everySenderBack))
          + " node in sync %s after its restart; %s".formatted(Await.millis(inSync), errors);
    }
  }

  /** Runs at the first call; both rules need the same fault, which takes half a minute. */
  private LeaderKilled killLeader() throws Exception {
    if (leaderKilled != null) {
      return leaderKilled;
    }
    Ledger ledger = new Ledger();
    try (Load load = new Load(mq(), queue, ledger, SENDERS, RECEIVERS)) {
      load.awaitConfirms(2_000, PATIENCE);
      int leader = cluster().leader(queue);
      ProcessHandle process = cluster().process(leader);
      load.confirms.restart();
      load.deliveries.restart();

      cluster().kill(leader);
      long killedAt = System.nanoTime();
      assertThat(process.isAlive()).as("the leader lives").isFalse();
      boolean othersLive = cluster().nodes() > 1;
      if (othersLive) {
        Await.until("another leader", PATIENCE, () -> cluster().leader(queue) != leader);
        load.awaitEverySender(PATIENCE);
      }
      Duration withoutIt = Await.since(killedAt);
      long restartedAt = System.nanoTime();
      cluster().restart(leader);
      Duration inSync = Await.since(restartedAt);
      if (!othersLive) {
        load.awaitEverySender(PATIENCE);
      }
      Duration everySenderBack = othersLive ? withoutIt : Await.since(killedAt);

      long before = load.confirmed();
      load.awaitEverySender(PATIENCE);
      load.awaitConfirms(1_000, PATIENCE);
      long confirmedAfterwards = load.confirmed() - before;
      load.stopSending();
      boolean drained = load.drain(PATIENCE);
      load.stop();
      LeaderKilled seen =
          new LeaderKilled(
              load.confirms.longest(),
              load.deliveries.longest(),
              everySenderBack,
              inSync,
              confirmedAfterwards,
              load.errors(),
              ledger.verdict(drained));
      leaderKilled = seen;
      return seen;
    }
  }

  @Test
  @DisplayName("ALO-02 confirmed messages survive the loss of the leader under load")
  void alo02_confirmedMessagesSurviveTheLossOfTheLeader() throws Exception {
    assumeTrue(
        survivesTheLossOfANode(),
        "ALO-02 binds only where replication is awaited; not in mode " + mq().traits().mode());

    LeaderKilled seen = killLeader();

    conclude("ALO-02", seen.times(), seen.verdict(), true);
  }

  @Test
  @DisplayName("ALO-20 after the fault work goes on through the same Mq")
  void alo20_workGoesOnThroughTheSameMq() throws Exception {
    LeaderKilled seen = killLeader();

    assertThat(seen.confirmedAfterwards()).isPositive();
    conclude("ALO-20", seen.times(), seen.verdict(), survivesTheLossOfANode());
  }

  /**
   * Whether the others replace a leader that is only paused. A pair that goes by a lock which a
   * stopped process keeps does not: then its clients wait until it goes on.
   */
  boolean pausedLeaderIsReplaced() {
    return true;
  }

  @Test
  @DisplayName("ALO-18 a leader paused past its session timeout stops nobody for good")
  void alo18_workGoesOnWhileTheLeaderIsPaused() throws Exception {
    Ledger ledger = new Ledger();
    try (Load load = new Load(mq(), queue, ledger, SENDERS, RECEIVERS)) {
      load.awaitConfirms(2_000, PATIENCE);
      int leader = cluster().leader(queue);
      load.confirms.restart();
      load.deliveries.restart();

      cluster().pause(leader);
      long pausedAt = System.nanoTime();
      if (pausedLeaderIsReplaced()) {
        Await.until("another leader", PATIENCE, () -> cluster().leader(queue) != leader);
      } else {
        assertNobodyTakesOver(leader, load);
        pausedAt = System.nanoTime();
        cluster().resume(leader);
      }
      load.awaitEverySender(PATIENCE);
      Duration everySenderBack = Await.since(pausedAt);
      assertThat(cluster().process(leader).isAlive()).as("the paused leader lives").isTrue();
      if (pausedLeaderIsReplaced()) {
        cluster().resume(leader);
      }
      cluster().heal();
      load.awaitEverySender(PATIENCE);

      load.stopSending();
      boolean drained = load.drain(PATIENCE);
      load.stop();
      conclude(
          "ALO-18",
          "leader paused: send gap %s, receive gap %s, every sender back after %s%s; %s"
              .formatted(
                  Await.millis(load.confirms.longest()),
                  Await.millis(load.deliveries.longest()),
                  Await.millis(everySenderBack),
                  pausedLeaderIsReplaced() ? "" : " from its going on",
                  load.errors()),
          ledger.verdict(drained),
          survivesTheLossOfANode());
    }
  }

  /** Until every call that was made before has ended within its bound. */
  private void assertNobodyTakesOver(int leader, Load load) {
    Await.until(
        "confirms that were under way have come",
        PATIENCE,
        () -> load.confirms.sinceLast().compareTo(Duration.ofSeconds(1)) > 0);
    long before = load.confirmed();
    Duration bound = mq().traits().callBound().plusSeconds(2);
    assertThat(Await.holdsWithin(bound, () -> load.confirmed() > before))
        .as("something is confirmed while node %d is paused", leader)
        .isFalse();
    assertThat(cluster().leader(queue)).as("the leader").isEqualTo(leader);
  }
}
