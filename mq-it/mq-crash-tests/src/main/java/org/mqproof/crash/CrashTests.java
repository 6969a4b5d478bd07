package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.Verdict;
import org.mqproof.spi.MqProvider;

/**
 * Every cell of the fault matrix, and every rule marked <em>crash</em>: client processes and nodes
 * of a real cluster are killed and paused while messages are under way. A mode of a system carries
 * these tests by naming itself and its settings; one that differs from another only in how it
 * receives needs no more than {@link ReceiverCrashTests}.
 *
 * <p>Each test asserts that its fault took effect, prints the times it saw, and ends with a
 * verdict.
 */
public abstract class CrashTests extends ReceiverCrashTests {

  /** What a loaded machine may add to a bound that the system itself keeps. */
  private static final Duration SLACK = Duration.ofSeconds(3);

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param mode settings of the mode; those of the cluster are added
   */
  protected CrashTests(String system, Map<String, String> mode) {
    super(system, mode);
  }

  /**
   * A system in one of its modes.
   *
   * @param system name of the adapter and of its cluster
   * @param variant system properties of the cluster's provider, and their values
   * @param mode settings of the mode; those of the cluster are added
   */
  protected CrashTests(String system, Map<String, String> variant, Map<String, String> mode) {
    super(system, variant, mode);
  }

  @Seeds.Each
  @DisplayName("ALO-19 a sender killed in mid-batch loses nothing that was confirmed")
  void alo19_killedSenderLosesNothingConfirmed(long seed) throws Exception {
    run(new SenderKilled(), seed);
  }

  @Seeds.Each
  @DisplayName("ALO-16 ALO-20 messages outlive a SIGKILL of the whole cluster and its restart")
  void alo16_alo20_messagesOutliveTheDeathOfTheWholeCluster(long seed) throws Exception {
    run(new ClusterKilled(), seed);
  }

  @Test
  @DisplayName("ALO-02 confirmed messages survive a leader that dies while the others are behind")
  void alo02_confirmedMessagesSurviveALeaderThatWasAhead() throws Exception {
    assumeTrue(
        survivesTheLossOfANode(),
        "ALO-02 binds only where replication is awaited; not in mode " + mq().traits().mode());

    LeaderAhead seen = killLeaderAhead();

    conclude("ALO-02", seen.toString(), seen.verdict(), true);
  }

  /** What became of messages that were sent while only the leader could take them. */
  record LeaderAhead(int confirmedByTheLeaderAlone, Verdict verdict) {

    @Override
    public String toString() {
      return "leader killed while all others were paused: %d batches confirmed by it alone"
          .formatted(confirmedByTheLeaderAlone);
    }
  }

  /** Batches sent together, and how long a confirm of any is waited for. */
  private record Round(int batches, Duration patience) {}

  /**
   * One by one, because others may have asked the leader for what comes next before they were
   * paused, and then all that is stored together with that is on its way to them; then many, for
   * every part of the queue.
   */
  private static final List<Round> ROUNDS =
      Stream.concat(
              Collections.nCopies(16, new Round(1, Duration.ofMillis(30))).stream(),
              Collections.nCopies(3, new Round(16, Duration.ofMillis(300))).stream())
          .toList();

  /**
   * Pauses every node but the leader, sends, kills the leader, lets the others go on and brings the
   * leader back. What it confirmed alone is lost: that no such thing is confirmed is the rule.
   */
  LeaderAhead killLeaderAhead() throws Exception {
    try (Ledger ledger = recorded("leader SIGKILL while ahead")) {
      return killLeaderAhead(ledger);
    }
  }

  private LeaderAhead killLeaderAhead(Ledger ledger) throws Exception {
    sendAll(ledger, 100);
    AtomicInteger confirmed = new AtomicInteger();
    int leader = cluster().leader(queue);
    List<CompletableFuture<?>> outcomes = new ArrayList<>();
    try (Sender sender = mq().sender(queue)) {
      for (int node = 1; node <= cluster().nodes(); node++) {
        if (node != leader) {
          cluster().pause(node);
        }
      }
      for (Round round : ROUNDS) {
        int before = confirmed.get();
        for (int batch = 0; batch < round.batches(); batch++) {
          outcomes.add(
              sendAsync(sender, ledger.sender(1))
                  .thenRun(confirmed::incrementAndGet)
                  .exceptionally(error -> null)); // recorded as unknown
        }
        Await.holdsWithin(round.patience(), () -> confirmed.get() > before);
      }
      int confirmedByTheLeaderAlone = confirmed.get();

      cluster().kill(leader);
      ledger.fault("node %d killed, the others paused".formatted(leader));
      beforeLeaderComesBack(leader);
      cluster().heal();
      for (CompletableFuture<?> outcome : outcomes) {
        outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      try (Load receivers = new Load(mq(), queue, ledger, 0, RECEIVERS)) {
        boolean drained = receivers.drain(PATIENCE);
        receivers.stop();
        return new LeaderAhead(confirmedByTheLeaderAlone, ledger.verdict(drained));
      }
    }
  }

  /**
   * What else must have happened before a leader that was ahead, now dead, is started again; the
   * others are still paused. Nothing where the first to come back cannot win by being ahead.
   *
   * @param leader number of the node, from 1
   */
  protected void beforeLeaderComesBack(int leader) {}

  /** Lets the others go on, and waits until one of them leads. */
  final void awaitAnotherLeader(int leader) {
    for (int node = 1; node <= cluster().nodes(); node++) {
      if (node != leader) {
        cluster().resume(node);
      }
    }
    Await.until("another leader", PATIENCE, () -> cluster().anotherLeads(queue, leader));
  }

  @Test
  @DisplayName("ALO-18 every call to a hung or dead cluster ends within its bound, with an error")
  void alo18_everyCallToAHungOrDeadClusterEndsWithAnError() throws Exception {
    try (Ledger ledger = recorded("calls to a hung or dead cluster")) {
      callHungAndDeadCluster(ledger);
    }
  }

  /**
   * Adapters look whether a port that hangs speaks TLS. The classes of a JVM's first handshake take
   * half a second of a processor, and on a busy machine seconds, which no bound is about.
   */
  private static void loadTls() throws GeneralSecurityException, SSLException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, null, null);
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    var unused = engine.wrap(ByteBuffer.allocate(0), hello);
  }

  private void callHungAndDeadCluster(Ledger ledger) throws Exception {
    loadTls();
    sendAll(ledger, 100);
    Sender sender = mq().sender(queue);
    Sender asyncSender = mq().sender(queue);
    Receiver receiver = mq().receiver(queue);
    assertThat(receiveRest(receiver, ledger.newReceiver(), ledger)).isTrue();
    Map<String, Callable<?>> opening = new LinkedHashMap<>();
    opening.put("createQueue", () -> createQueue(queue + "-2"));
    opening.put("sender", () -> mq().sender(queue));
    opening.put("receiver", () -> receiveUntilError(mq().receiver(queue)));
    opening.put("connect", () -> MqProvider.named(system).connect(settings()));
    Map<String, Callable<?>> working = new LinkedHashMap<>(opening);
    working.put("send", () -> sendAsync(sender, ledger.sender(1)).get());
    working.put("sendAsync", () -> sendAsync(asyncSender, ledger.sender(2)).get());
    working.put("receive", () -> receiveUntilError(receiver));
    Map<String, Callable<?>> closing = new LinkedHashMap<>();
    closing.put("close of a sender", () -> close(sender));
    closing.put("close of an async sender", () -> close(asyncSender));
    closing.put("close of a receiver", () -> close(receiver));

    for (int node = 1; node <= cluster().nodes(); node++) {
      cluster().pause(node);
    }
    ledger.fault("all nodes paused");
    Map<String, Call> hung = callAll(working);
    Map<String, Call> closed = callAll(closing);
    cluster().killAll();
    ledger.fault("all nodes killed");
    Map<String, Call> dead = callAll(opening);
    cluster().heal();

    hung.forEach(this::assertNamesTheEndpoint);
    dead.forEach(this::assertNamesTheEndpoint);
    try (Load load = new Load(mq(), queue, ledger, SENDERS, RECEIVERS)) {
      load.awaitEverySender(PATIENCE);
      load.stopSending();
      boolean drained = load.drain(PATIENCE);
      load.stop();
      conclude(
          "ALO-18",
          "bound %s; all nodes paused: %s, %s; all nodes dead: %s"
              .formatted(Await.millis(mq().traits().callBound()), hung, closed, dead),
          ledger.verdict(drained),
          mq().traits().durable());
    }
  }

  private void assertNamesTheEndpoint(String name, Call call) {
    assertThat(call.error()).as("%s %s", name, call).isInstanceOf(MqException.class);
    assertThat(call.error()).as(name).hasMessageFindingMatch(endpoints());
  }

  private Object createQueue(String name) {
    mq().createQueue(name);
    return name;
  }

  private static Object close(AutoCloseable closed) throws Exception {
    closed.close();
    return closed;
  }

  /** An empty list is no error: a receiver that waits may need several calls to notice. */
  private static Object receiveUntilError(Receiver receiver) throws InterruptedException {
    while (true) {
      List<Delivery> batch = receiver.receive(1, Duration.ofMillis(100));
      if (!batch.isEmpty()) {
        return batch;
      }
    }
  }

  /** How a call ended. */
  private record Call(Duration after, @Nullable Throwable error) {

    @Override
    public String toString() {
      return "%s after %s"
          .formatted(
              error == null ? "returned" : error.getClass().getSimpleName(), Await.millis(after));
    }
  }

  /** Makes all calls at once, each on its own thread; fails if one has not ended in time. */
  private Map<String, Call> callAll(Map<String, Callable<?>> calls) throws Exception {
    Duration bound = mq().traits().callBound().plus(SLACK);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Map<String, Future<Call>> running = new LinkedHashMap<>();
      Map<String, Thread> callers = new ConcurrentHashMap<>();
      calls.forEach(
          (name, call) ->
              running.put(
                  name,
                  threads.submit(
                      () -> {
                        callers.put(name, Thread.currentThread());
                        return time(call);
                      })));
      boolean inTime =
          Await.holdsWithinOwnTime(bound, () -> running.values().stream().allMatch(Future::isDone));
      Map<String, Call> ended = new LinkedHashMap<>();
      for (Map.Entry<String, Future<Call>> call : running.entrySet()) {
        if (call.getValue().isDone()) {
          ended.put(call.getKey(), call.getValue().get());
        }
      }
      assertThat(inTime)
          .as("within %s ended %s, and not %s", bound, ended, stacks(callers, ended.keySet()))
          .isTrue();
      return ended;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Where the calls are that have not ended. */
  private static Map<String, List<StackTraceElement>> stacks(
      Map<String, Thread> callers, Set<String> ended) {
    Map<String, List<StackTraceElement>> stacks = new LinkedHashMap<>();
    callers.forEach(
        (name, caller) -> {
          if (!ended.contains(name)) {
            stacks.put(name, List.of(caller.getStackTrace()));
          }
        });
    return stacks;
  }

  private static Call time(Callable<?> call) {
    long calledAt = System.nanoTime();
    try {
      call.call();
      return new Call(Await.since(calledAt), null);
    } catch (ExecutionException e) {
      return new Call(Await.since(calledAt), e.getCause());
    } catch (Exception e) {
      return new Call(Await.since(calledAt), e);
    }
  }

  /** Matches any of the cluster's ports, which the error must name. */
  private String endpoints() {
    Matcher ports = Pattern.compile(":\\d+").matcher(cluster().settings().values().toString());
    return String.join("|", ports.results().map(port -> port.group()).toList());
  }
}
