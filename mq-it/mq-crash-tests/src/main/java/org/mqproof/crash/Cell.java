package org.mqproof.crash;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.Traits;
import org.mqproof.cluster.Cluster;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.Verdict;

/**
 * One run of one cell of the fault matrix: a system in one of its modes works under load, a {@link
 * Fault} strikes at a moment that follows from the seed, takes effect, and is healed; then work
 * goes on through the same connection, and the verdict tells what became of every message.
 *
 * <p>For one thread.
 */
public final class Cell {

  /** A rate is back when so much of it is. */
  private static final double RATE_BACK = 0.95;

  /**
   * How long after the healing the rate is waited for: no promise, a time for the document, so only
   * in runs that are repeated for it.
   */
  private static final Duration RATE_PATIENCE =
      System.getProperty(Seeds.REPETITIONS_PROPERTY) == null
          ? Duration.ZERO
          : Duration.ofSeconds(5);

  private final CrashHarness harness;
  private final Fault fault;
  private final long seed;
  private final Random random;
  private final List<ProcessHandle> killed = new ArrayList<>();
  private final Map<CellTime, Duration> times = new EnumMap<>(CellTime.class);
  private @Nullable Ledger recorded;
  private @Nullable Load working;
  private long struckAt = System.nanoTime();
  private boolean sendersBack;
  private long rateBefore;
  private String seen = "";
  private int number;

  Cell(CrashHarness harness, Fault fault, long seed) {
    this.harness = harness;
    this.fault = fault;
    this.seed = seed;
    random = new Random(seed);
  }

  /** Fails if the fault had no effect, if work did not go on, or if a promise was broken. */
  void run() throws Exception {
    System.out.printf(
        "%s %s %s: seed %d; replay with -D%s=%d%n",
        fault.rules(), harness.recordedAs(), fault.name(), seed, Seeds.SEED_PROPERTY, seed);
    CellRun run =
        CellRun.of(
            harness.recordedAs(),
            mq().traits().mode(),
            cluster().version(),
            fault,
            seed,
            promised());
    Verdict verdict;
    try {
      verdict = judge();
    } catch (Exception | AssertionError e) {
      harness.keep(run.failed(e));
      throw e;
    }
    CellRun judged = run.with(verdict, times, fault.counts());
    harness.keep(judged);
    if (verdict.lost() > 0) {
      harness.keepEvidence(judged, seen, number);
    }
    harness.conclude(fault.rules(), seen, verdict, promised());
  }

  private Verdict judge() throws Exception {
    Verdict verdict;
    try (fault;
        Ledger ledger = harness.recorded("%s %d".formatted(fault.name(), seed))) {
      recorded = ledger;
      number = ledger.run();
      fault.prepare(this);
      try (Load load =
          new Load(mq(), queue(), ledger, fault.senders(), fault.receivers(), fault::received)) {
        working = load;
        fault.awaitMoment(this);
        String evidence = strike();
        fault.whileItLasts(this);
        fault.heal(this);
        ledger.mark("healed");
        load.healed();
        goOn();
        load.stopSending();
        boolean drained = load.drain(CrashHarness.PATIENCE);
        load.stop();
        load.cleared().ifPresent(after -> times.put(CellTime.BACKLOG, after));
        verdict = ledger.verdict(drained);
        seen = "%s: %s; %s; %s".formatted(fault.name(), evidence, timesSeen(), load.errors());
      }
    }
    fault.check(verdict);
    assertThat(CrashHarness.history(number).verdict())
        .as("found again from the history")
        .isEqualTo(verdict);
    return verdict;
  }

  /** Returns the evidence that the fault took effect. */
  private String strike() throws Exception {
    load().confirms.restart();
    load().deliveries.restart();
    rateBefore = load().rates.inTheSecondBefore(System.nanoTime());
    fault.strike(this);
    String evidence = fault.tookEffect(this);
    ledger().mark("took effect: " + evidence);
    return evidence;
  }

  /** Work goes on, for every sender and receiver, and the rate comes back. */
  private void goOn() {
    if (load().receivers() == 0) {
      load().startReceivers(CrashHarness.RECEIVERS);
    }
    if (fault.senders() > 0) {
      awaitEverySender();
      load().awaitConfirms(1_000, CrashHarness.PATIENCE);
      long enough = Math.round(rateBefore * RATE_BACK);
      Await.holdsWithin(
          RATE_PATIENCE, () -> load().rates.untilASecondWith(enough, struckAt).isPresent());
      load()
          .rates
          .untilASecondWith(enough, struckAt)
          .ifPresent(after -> times.put(CellTime.RATE_BACK, after));
      times.put(CellTime.SEND_GAP, load().confirms.longest());
    }
    times.put(CellTime.RECEIVE_GAP, load().deliveries.longest());
  }

  private String timesSeen() {
    return String.join(
        ", ",
        times.entrySet().stream()
            .map(time -> time.getKey().words() + " " + Await.millis(time.getValue()))
            .toList());
  }

  /** Whether this mode promises that this fault loses nothing confirmed. */
  private boolean promised() {
    Traits traits = mq().traits();
    return switch (fault.harms()) {
      case CLIENT -> true;
      // The only copy comes back with its node.
      case NODE -> harness.survivesTheLossOfANode() || (traits.durable() && traits.copies() == 1);
      case CLUSTER -> traits.durable();
      case POWER -> harness.survivesPowerCut();
    };
  }

  /**
   * The cluster that is broken.
   *
   * @return started, and healed before each test
   */
  public Cluster cluster() {
    return harness.cluster();
  }

  /**
   * The connection that must outlive every fault.
   *
   * @return open
   */
  public Mq mq() {
    return harness.mq();
  }

  String system() {
    return harness.system;
  }

  /**
   * The queue of this test, which exists.
   *
   * @return its name
   */
  public String queue() {
    return harness.queue;
  }

  Map<String, String> childSettings() {
    return harness.patientSettings();
  }

  /**
   * Draws moments and places from the seed of the run.
   *
   * @return for one thread
   */
  public Random random() {
    return random;
  }

  /**
   * Longest wait for anything that has no bound of its own.
   *
   * @return a bound on progress, no guess of speed
   */
  public Duration patience() {
    return harness.patience();
  }

  /**
   * Whether the others replace a leader that is dead.
   *
   * @return as the test class declares
   */
  public boolean deadLeaderIsReplaced() {
    return harness.deadLeaderIsReplaced();
  }

  /**
   * Whether a message whose claim has ended is behind what was sent before that.
   *
   * @return as the test class declares
   */
  public boolean comesBackBehindWhatWaits() {
    return harness.comesBackBehindWhatWaits();
  }

  /**
   * Whether the others replace a leader that is only paused.
   *
   * @return as the test class declares
   */
  public boolean pausedLeaderIsReplaced() {
    return harness.pausedLeaderIsReplaced();
  }

  /**
   * Whether the others replace a leader that they cannot reach.
   *
   * @return as the test class declares
   */
  public boolean isolatedLeaderIsReplaced() {
    return harness.isolatedLeaderIsReplaced();
  }

  /**
   * The record of this run.
   *
   * @return open until the verdict
   */
  public Ledger ledger() {
    return requireNonNull(recorded, "not running");
  }

  Load load() {
    return requireNonNull(working, "no load yet");
  }

  /**
   * Sends messages before the load begins.
   *
   * @param messages how many
   * @return the sequence number of each body
   * @throws InterruptedException if the thread is interrupted
   */
  public Map<ByteBuffer, Long> sendAll(int messages) throws InterruptedException {
    return harness.sendAll(ledger(), messages);
  }

  /** Waits until the load is at work, and then for a moment that follows from the seed. */
  public void awaitLoad() {
    load().awaitConfirms(1_000 + random.nextInt(1_000), CrashHarness.PATIENCE);
    awaitRandom(
        Duration.ofMillis(1_200), Duration.ofMillis(2_000)); // a whole second to compare with
  }

  /**
   * Waits for a time that follows from the seed.
   *
   * @param least shortest wait
   * @param most longest wait
   */
  public void awaitRandom(Duration least, Duration most) {
    long nanos = random.nextLong(least.toNanos(), most.toNanos());
    long deadline = System.nanoTime() + nanos;
    long left = nanos;
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = deadline - System.nanoTime();
    }
  }

  /** Waits until every sender had a batch confirmed that it began from now on. */
  public void awaitEverySender() {
    load().awaitEverySender(CrashHarness.PATIENCE);
    if (!sendersBack) {
      sendersBack = true;
      times.merge(
          CellTime.SENDERS_BACK,
          sinceStruck(),
          (one, other) -> one.compareTo(other) > 0 ? one : other);
    }
  }

  /**
   * Waits until another node leads than one that is dead, paused or isolated.
   *
   * @param old number of the node, from 1
   * @return the evidence
   */
  public String awaitAnotherLeader(int old) {
    Await.until("another leader than node %d".formatted(old), patience(), () -> anotherLeads(old));
    return "node %d replaced after %s".formatted(old, Await.millis(sinceStruck()));
  }

  /**
   * Whether another node leads; false also if nobody can say, as while they elect one.
   *
   * @param old number of the node, from 1
   * @return whether another node leads
   */
  public boolean anotherLeads(int old) {
    return cluster().anotherLeads(queue(), old);
  }

  /**
   * Waits until every call that was made before has ended within its bound, and asserts that
   * nothing is confirmed that was sent since the last blow. What was under way then may be.
   *
   * @param since what happened to whom, for example {@code "node 1 was paused"}
   * @return the evidence
   */
  public String assertNothingIsConfirmed(String since) {
    Duration bound = mq().traits().callBound().plusSeconds(2);
    assertThat(Await.holdsWithin(bound, () -> load().confirmedWhatBeganAfter(struckAt)))
        .as("something is confirmed while %s", since)
        .isFalse();
    return "nothing confirmed for %s while %s".formatted(Await.millis(bound), since);
  }

  /**
   * Notes a blow of the fault, from which times count.
   *
   * @param what what happened to whom
   */
  public void struck(String what) {
    struckAt = System.nanoTime();
    load().struck();
    sendersBack = false;
    ledger().fault(what);
  }

  /**
   * Time since the last blow.
   *
   * @return zero or more
   */
  public Duration sinceStruck() {
    return Await.since(struckAt);
  }

  /**
   * Kills a node, and notes the blow.
   *
   * @param node number of the node, from 1
   */
  public void killNode(int node) {
    killed.add(cluster().process(node));
    cluster().kill(node);
    struck("node %d killed".formatted(node));
  }

  /** Kills all nodes, and notes the blow. */
  public void killAllNodes() {
    for (int node = 1; node <= cluster().nodes(); node++) {
      killed.add(cluster().process(node));
    }
    cluster().killAll();
    struck("all nodes killed");
  }

  /**
   * Cuts the power of a node, and notes the blow.
   *
   * @param node number of the node, from 1
   */
  public void cutPower(int node) {
    killed.add(cluster().process(node));
    cluster().cutPower(node);
    struck("power of node %d cut".formatted(node));
  }

  /** Cuts the power of all nodes, and notes the blow. */
  public void cutPowerOfAllNodes() {
    for (int node = 1; node <= cluster().nodes(); node++) {
      killed.add(cluster().process(node));
    }
    cluster().cutPowerAll();
    struck("power of all nodes cut");
  }

  void killChild(ChildJvm child) throws InterruptedException {
    harness.kill(child);
    struck("a client's process killed");
  }

  /**
   * Fails if a node that was killed is alive.
   *
   * @return the evidence of the kill
   */
  public String assertKilledAreDead() {
    assertThat(killed).as("processes killed").isNotEmpty();
    assertThat(killed).as("killed, and alive").noneMatch(ProcessHandle::isAlive);
    return "processes %s are dead".formatted(killed.stream().map(ProcessHandle::pid).toList());
  }

  /** Notes when the messages of a dead receiver were received by another. */
  void redelivered(LongSummaryStatistics nanoTimes) {
    times.put(CellTime.REDELIVERED_FIRST, Duration.ofNanos(nanoTimes.getMin() - struckAt));
    times.put(CellTime.REDELIVERED_LAST, Duration.ofNanos(nanoTimes.getMax() - struckAt));
  }
}
