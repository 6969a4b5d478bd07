package org.mqproof.crash;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.cluster.Cluster;
import org.mqproof.cluster.TestCluster;
import org.mqproof.ledger.Expectations;
import org.mqproof.ledger.History;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;
import org.mqproof.spi.MqProvider;
import org.mqproof.spi.Setting;

/**
 * A cluster that can be broken, a connection that must outlive it, a queue for each test and a
 * verdict at its end. Every test begins with a cluster in which nothing is broken.
 *
 * <p>For one thread, as JUnit runs it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // ends what hangs; a slow machine may take long
public abstract class CrashHarness {

  /** The property is that of the benchmarks. */
  private static final Path HISTORIES =
      Path.of(System.getProperty("mqproof.history", "target/histories"));

  static final Duration PATIENCE = Duration.ofSeconds(60);
  static final int SENDERS = 3;
  static final int RECEIVERS = 2;

  private static final Map<String, String> PATIENT_BOUNDS =
      Map.of("call.bound", "120s", "connect.bound", "30s");

  final String system;
  private final Map<String, String> variant;
  private final Map<String, String> mode;
  private @Nullable Cluster startedCluster;
  private @Nullable Mq connectedMq;
  private boolean used;
  String queue = "";

  /**
   * A system in one of its modes.
   *
   * @param system the name of its adapter and its cluster
   * @param mode the settings of the mode; the cluster's own are added
   */
  protected CrashHarness(String system, Map<String, String> mode) {
    this(system, Map.of(), mode);
  }

  /**
   * A system in one of its modes, on a cluster of a variant.
   *
   * @param system name of the adapter and of its cluster
   * @param variant system properties of the cluster's provider, and their values
   * @param mode settings of the mode; those of the cluster are added
   */
  protected CrashHarness(String system, Map<String, String> variant, Map<String, String> mode) {
    this.system = system;
    this.variant = variant;
    this.mode = mode;
  }

  @BeforeAll
  void startCluster() {
    startedCluster = TestCluster.start(TestCluster.runnable(system), variant);
    // A client's first request loads its classes, which is no part of any bound.
    connectPatiently().close();
  }

  @AfterAll
  void stopCluster() {
    if (startedCluster != null) {
      startedCluster.close();
    }
  }

  @BeforeEach
  void connect(TestInfo test) {
    if (eachRunHasItsOwnCluster() && used) {
      stopCluster();
      startCluster();
    }
    used = true;
    cluster().heal();
    connectedMq = MqProvider.named(system).connect(settings());
    queue = test.getTestMethod().orElseThrow().getName() + "-" + System.nanoTime();
    try (Mq patient = connectPatiently()) {
      patient.createQueue(queue);
    }
    cluster().heal(); // every replica of the new queue is there before anything breaks
  }

  /** For what is not judged: on a busy machine an answer may take its time. */
  private Mq connectPatiently() {
    return MqProvider.named(system).connect(patientSettings());
  }

  @AfterEach
  void disconnect() {
    cluster().heal();
    mq().close();
    try (Mq patient = connectPatiently()) {
      patient.deleteQueue(queue);
    }
  }

  /**
   * Whether a run must not find what the one before has left on the disks.
   *
   * @return false: one cluster serves the class
   */
  protected boolean eachRunHasItsOwnCluster() {
    return false;
  }

  /**
   * What results call the system.
   *
   * @return the name
   */
  protected String column() {
    return variant.isEmpty() ? system : system + " " + String.join(" ", variant.values());
  }

  /** The same, with what the disks are formatted with unless that is the default. */
  String recordedAs() {
    return column();
  }

  /**
   * The cluster that is broken.
   *
   * @return started, and healed before each test
   */
  protected Cluster cluster() {
    return requireNonNull(startedCluster, "no cluster");
  }

  /**
   * The connection that must outlive every fault.
   *
   * @return open
   */
  protected Mq mq() {
    return requireNonNull(connectedMq, "not connected");
  }

  /**
   * The cluster's settings and those of the mode.
   *
   * @return a new map
   */
  protected Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(mode);
    settings.putAll(cluster().settings());
    return settings;
  }

  /**
   * For clients of which no bound is asserted: the first request of a JVM takes seconds where
   * several start at once.
   *
   * @return a new map, with long {@code call.bound} and {@code connect.bound} where the adapter has
   *     these settings
   */
  protected Map<String, String> patientSettings() {
    Map<String, String> patient = settings();
    for (Setting<?> setting : MqProvider.named(system).settings()) {
      String bound = PATIENT_BOUNDS.get(setting.key());
      if (bound != null) {
        patient.put(setting.key(), bound);
      }
    }
    return patient;
  }

  /**
   * Whether the loss of any one node loses nothing confirmed: that is why there are copies.
   *
   * @return as the traits say, unless overridden
   */
  protected boolean survivesTheLossOfANode() {
    return mq().traits().replicationAwaited();
  }

  /**
   * Whether the others serve a queue whose leader is dead.
   *
   * @return true if they do
   */
  protected boolean deadLeaderIsReplaced() {
    return cluster().nodes() > 1;
  }

  /**
   * Whether a message whose claim has ended is behind what was sent before that, or behind what a
   * receiver has fetched ahead: how soon it is received then depends on who receives.
   *
   * @return false, unless overridden
   */
  protected boolean comesBackBehindWhatWaits() {
    return false;
  }

  /**
   * Whether nothing confirmed is lost when all nodes lose their power at once.
   *
   * @return true if the mode promises it
   */
  protected boolean survivesPowerCut() {
    return false;
  }

  /**
   * Whether the others replace a leader that is only paused. A pair that goes by a lock which a
   * stopped process keeps does not: then its clients wait until it goes on.
   *
   * @return true if they do
   */
  protected boolean pausedLeaderIsReplaced() {
    return true;
  }

  /**
   * Whether the others replace a leader that they cannot reach. A pair that goes by a lock on a
   * disk does not.
   *
   * @return true if they do
   */
  protected boolean isolatedLeaderIsReplaced() {
    return true;
  }

  /**
   * How long a fault's effect is waited for.
   *
   * @return a bound on progress, no guess of speed
   */
  protected Duration patience() {
    return PATIENCE;
  }

  /** Kills a child with SIGKILL. */
  void kill(ChildJvm child) throws InterruptedException {
    child.kill();
  }

  /** Keeps the result of a run for the fault matrix. */
  void keep(CellRun run) throws IOException {
    run.append();
  }

  /** Keeps what shows how a run lost messages. */
  void keepEvidence(CellRun run, String seen, int number) throws IOException {
    for (Path history : histories(number)) {
      System.out.printf(
          "evidence: %s%n", Evidence.write(run, seen, history, cluster(), getClass()));
    }
  }

  /**
   * Runs one cell of the fault matrix.
   *
   * @param fault a new fault, for this run
   * @param seed of the moments; the same seed gives the same ones
   * @throws Exception if the run fails
   */
  protected final void run(Fault fault, long seed) throws Exception {
    new Cell(this, fault, seed).run();
  }

  /** A ledger of a new run that leaves its history on disk. */
  Ledger recorded(String what) throws IOException {
    Traits traits = mq().traits();
    Ledger ledger =
        Ledger.recordedIn(HISTORIES, "%s %s %s".formatted(recordedAs(), traits.mode(), what));
    ledger.expect(Expectations.of(traits));
    return ledger;
  }

  /** What a run left on disk. */
  static History history(int run) throws IOException {
    return History.read(histories(run));
  }

  private static List<Path> histories(int run) throws IOException {
    try (Stream<Path> files = Files.list(HISTORIES)) {
      return files.filter(file -> file.toString().endsWith("%08x.history".formatted(run))).toList();
    }
  }

  /** Sends so many messages; returns the sequence number of each body. */
  Map<ByteBuffer, Long> sendAll(Ledger ledger, int messages) throws InterruptedException {
    Map<ByteBuffer, Long> sequences = new HashMap<>();
    SenderLog log = ledger.sender(0);
    try (Mq patient = connectPatiently();
        Sender sender = patient.sender(queue)) {
      while (sequences.size() < messages) {
        List<Message> batch = Load.batch(10);
        long first = log.stamp(batch, System.nanoTime());
        for (int i = 0; i < batch.size(); i++) {
          sequences.put(ByteBuffer.wrap(batch.get(i).body()), first + i);
        }
        sender.send(batch);
        log.confirmed(first, batch.size());
      }
    }
    return sequences;
  }

  /** Returns the bodies. */
  static List<ByteBuffer> receiveAndAck(Receiver receiver, ReceiverLog log)
      throws InterruptedException {
    List<Delivery> batch = receiver.receive(100, Duration.ofMillis(200));
    log.delivered(batch, sentAtNanos -> {});
    Child.unawaited(log.ack(receiver, batch));
    return batch.stream().map(delivery -> ByteBuffer.wrap(delivery.message().body())).toList();
  }

  static boolean receiveRest(Receiver receiver, ReceiverLog log, Ledger ledger)
      throws InterruptedException {
    long startedAt = System.nanoTime();
    while (!ledger.allConfirmedDelivered() || !receiveAndAck(receiver, log).isEmpty()) {
      if (Await.since(startedAt).compareTo(PATIENCE) > 0) {
        return false;
      }
      receiveAndAck(receiver, log);
    }
    return true;
  }

  /** Sends one message and records its outcome before the future tells it. */
  static CompletableFuture<Void> sendAsync(Sender sender, SenderLog log) {
    List<Message> batch = Load.batch(1);
    long first = log.stamp(batch, System.nanoTime());
    return sender
        .sendAsync(batch)
        .whenComplete(
            (done, error) -> {
              if (error == null) {
                log.confirmed(first, batch.size());
              } else if (error instanceof SendFailedException failed) {
                log.failed(first, failed.outcomes());
              }
            });
  }

  /**
   * Prints what was seen and asserts the verdict.
   *
   * @param mustHold whether the mode promises that the fault loses nothing confirmed
   */
  void conclude(String rule, String seen, Verdict verdict, boolean mustHold) {
    System.out.printf(
        "%s %s %s: %s%n    %s%n",
        rule, system, mq().traits().mode(), seen, verdict.judgement().words());
    assertThat(verdict.confirmed()).as("messages confirmed").isPositive();
    assertThat(verdict.drained()).as("drained: %s", verdict).isTrue();
    assertThat(verdict.unexpected()).as("unexpected: %s", verdict).isZero();
    assertThat(verdict.corrupt()).as("corrupt: %s", verdict).isZero();
    if (mustHold) {
      assertThat(verdict.holds())
          .as("%s: %s %s", rule, verdict.judgement().words(), verdict)
          .isTrue();
    }
  }
}
