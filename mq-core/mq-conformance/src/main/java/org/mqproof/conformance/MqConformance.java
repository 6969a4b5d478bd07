package org.mqproof.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/**
 * The kit: every rule of {@link AloRule} that can be checked without killing processes, and the
 * rest of the contract. An adapter's tests extend it:
 *
 * <pre>{@code
 * class KafkaConformanceTest extends MqConformance {
 *   @Override protected Mq connect() { return connectTo(cluster.endpoint()); }
 *   @Override protected Mq connectToDead() { return connectTo(deadEndpoint()); }
 *   @Override protected Mq connectToHung() { return connectTo(hungEndpoint()); }
 * }
 * }</pre>
 *
 * <p>Each test uses a queue of its own. What differs between systems is read from {@link
 * Mq#traits()} and asserted exactly. Where a rule cannot be judged, because no trait declares it,
 * because {@link #notCheckable()} says so, or because another rule that the check rests on does not
 * hold, its test is skipped with the reason. So is what is about {@link Receiver#release} and
 * {@link Receiver#extend} where a receiver has the contract's default although the traits declare
 * more: a wrapper that was written before these methods does not pass them on.
 *
 * <p>Sizes, places and moments are drawn; each failure names its seed, and {@code
 * -Dmqproof.kit.seed} draws the same again.
 *
 * <p>An instance is for one thread at a time. Where JUnit runs tests in parallel, those of a class
 * run at the same time, each on an instance and a queue of its own.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
public abstract class MqConformance extends HistoryRules {

  /** Where a receiver may hold more, no build has the time to try whether it keeps to it. */
  private static final int MOST_HELD = 2_000;

  private static final int FEW_MORE = 20;

  private static final int LARGE_BYTES = 16 << 10;
  private static final int LARGE_COUNT = 10;

  private static final int LONGEST_ID = 16;

  /**
   * What a queue's name must not have: white space, separators, wildcards, and what some patterns
   * take for a letter or a digit, or for nothing.
   */
  private static final List<String> WRONG_CHARACTERS =
      List.of(
          " ",
          "\t",
          "\n",
          "\r",
          "\0",
          "/",
          "\\",
          ":",
          "*",
          "#",
          ">",
          "%",
          "+",
          ",",
          "'",
          "\"",
          "$",
          "@",
          "\u007f",
          "\u0085",
          "\u00fc",
          "e\u0301",
          "\u017f",
          "\u212a",
          "\u0430",
          "\u0663",
          "\uff41",
          "\u200b",
          "\u2028",
          "\ufeff",
          "\ud83d\ude80");

  /** For subclasses. */
  protected MqConformance() {}

  // --- ALO-18 ---

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 an endpoint that refuses connections is an error, soon")
  void alo18_aDeadBrokerIsAnError() throws Exception {
    requireErrors(deadEndpoint(), this::connectToDead);
  }

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 an endpoint that never answers is an error, within the bound")
  void alo18_aHungBrokerIsAnError() throws Exception {
    requireErrors(hungEndpoint(), this::connectToHung);
  }

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 a send to an endpoint that refuses connections is an error, soon")
  void alo18_aSendToADeadBrokerIsAnError() throws Exception {
    requireErrorOfSend(deadEndpoint(), this::connectToDead);
  }

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 a send to an endpoint that never answers is an error, within the bound")
  void alo18_aSendToAHungBrokerIsAnError() throws Exception {
    requireErrorOfSend(hungEndpoint(), this::connectToHung);
  }

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 a receive from an endpoint that refuses connections is an error, soon")
  void alo18_aReceiveFromADeadBrokerIsAnError() throws Exception {
    requireErrorOfReceive(deadEndpoint(), this::connectToDead);
  }

  @Checks(AloRule.ALO_18)
  @DisplayName("ALO-18 a receive from an endpoint that never answers is an error, within the bound")
  void alo18_aReceiveFromAHungBrokerIsAnError() throws Exception {
    requireErrorOfReceive(hungEndpoint(), this::connectToHung);
  }

  private void requireErrors(String endpoint, Callable<Mq> connector) throws Exception {
    BoundedCall<Mq> connect = BoundedCall.start("connect", connector);
    requireEnd(connect, "connect");
    if (connect.failure() != null) {
      requireNames(endpoint, "connect", connect.failure());
      return;
    }
    Mq mq = connect.value();
    // Side by side, so that the bound is waited for once and not once per call.
    BoundedCall<@Nullable Object> create =
        BoundedCall.start(
            "createQueue",
            () -> {
              mq.createQueue("nowhere");
              return null;
            });
    BoundedCall<@Nullable Object> delete =
        BoundedCall.start(
            "deleteQueue",
            () -> {
              mq.deleteQueue("nowhere");
              return null;
            });
    BoundedCall<Sender> sender = BoundedCall.start("sender", () -> mq.sender("nowhere"));
    BoundedCall<Receiver> receiver = BoundedCall.start("receiver", () -> mq.receiver("nowhere"));
    requireError(endpoint, create, "createQueue");
    requireError(endpoint, delete, "deleteQueue");
    requireNoOtherError(endpoint, sender, "sender");
    requireNoOtherError(endpoint, receiver, "receiver");
    requireClose(mq);
  }

  private void requireErrorOfSend(String endpoint, Callable<Mq> connector) throws Exception {
    Mq mq = connected(connector);
    Sender sender = opened(BoundedCall.start("sender", () -> mq.sender("nowhere")), "sender");
    BoundedCall<@Nullable Object> send =
        BoundedCall.start(
            "send",
            () -> {
              sender.send(messages("m", 2));
              return null;
            });
    Sender another = opened(BoundedCall.start("sender", () -> mq.sender("nowhere")), "sender");
    BoundedCall<CompletableFuture<Void>> async =
        BoundedCall.start("sendAsync", () -> another.sendAsync(messages("m", 2)));
    requireEnd(async, "sendAsync");
    BoundedCall<@Nullable Object> close =
        BoundedCall.start(
            "close",
            () -> {
              another.close();
              return null;
            });
    requireError(endpoint, send, "send");
    requireEnd(close, "Sender.close, after sendAsync,");
    if (async.failure() == null && !async.value().isCompletedExceptionally()) {
      throw breach("Sender.close at %s, and a future of sendAsync is %s", endpoint, async.value());
    }
    requireClose(mq);
  }

  private void requireErrorOfReceive(String endpoint, Callable<Mq> connector) throws Exception {
    Mq mq = connected(connector);
    Receiver receiver =
        opened(BoundedCall.start("receiver", () -> mq.receiver("nowhere")), "receiver");
    // A receiver may need its bound to find out; until then its lists are empty.
    requireError(
        endpoint, BoundedCall.start("receive", () -> receiveUntilError(receiver)), "receive");
    requireClose(mq);
  }

  private Mq connected(Callable<Mq> connector) throws Exception {
    return track(opened(BoundedCall.start("connect", connector), "connect"));
  }

  /** What the call opened; if it opened nothing, what comes after it cannot be tried. */
  private <T> T opened(BoundedCall<T> call, String what) throws InterruptedException {
    requireEnd(call, what);
    if (call.failure() != null) {
      inconclusive("%s fails, which another test looks at: %s", what, call.failure());
    }
    return call.value();
  }

  private void requireClose(Mq mq) throws InterruptedException {
    BoundedCall<@Nullable Object> close =
        BoundedCall.start(
            "close",
            () -> {
              mq.close();
              return null;
            });
    requireEnd(close, "close");
  }

  private @Nullable Object receiveUntilError(Receiver receiver) throws InterruptedException {
    long start = System.nanoTime();
    while (!hasPassed(traits().callBound(), start)) {
      List<?> none = receive(receiver, 1, Duration.ofMillis(10));
      if (!none.isEmpty()) {
        throw breach("a broker that is not there delivered %s", none);
      }
    }
    return null;
  }

  /** It may find out later, when something is sent or received. */
  private void requireNoOtherError(String endpoint, BoundedCall<?> call, String what)
      throws InterruptedException {
    requireEnd(call, what);
    if (call.failure() != null) {
      requireNames(endpoint, what, call.failure());
    }
  }

  private void requireError(String endpoint, BoundedCall<?> call, String what)
      throws InterruptedException {
    requireEnd(call, what);
    if (call.failure() == null) {
      throw breach("%s at %s returned as if all were well", what, endpoint);
    }
    requireNames(endpoint, what, call.failure());
  }

  private void requireEnd(BoundedCall<?> call, String what) throws InterruptedException {
    Duration bound = traits().callBound();
    if (!call.endsWithin(bound.plus(slack()))) {
      String stack = call.stack();
      call.interrupt();
      throw breach("%s hangs beyond the declared bound of %s, at%s", what, bound, stack);
    }
  }

  private void requireNames(String endpoint, String what, @Nullable Throwable failure) {
    if (!(failure instanceof MqException)) {
      throw breach(failure, "%s threw no MqException but %s", what, failure);
    }
    if (!String.valueOf(failure.getMessage()).contains(endpoint)) {
      throw breach(failure, "the error of %s does not name %s: %s", what, endpoint, failure);
    }
  }

  // --- ALO-26 ---

  @Checks(AloRule.ALO_26)
  @ResourceLock(Checks.THREADS_AND_SOCKETS)
  @DisplayName("ALO-26 a queue configured against the promise is refused, naming the setting")
  void alo26_aQueueConfiguredAgainstThePromiseIsRefused() throws Exception {
    Map<String, BrokenQueue> queues = new TreeMap<>(brokenQueues());
    Set<String> notChecked = traits().notChecked();
    queues.keySet().removeIf(setting -> notChecked.contains(nameOf(setting)));
    if (queues.isEmpty() || notChecked.contains(Traits.EVERY_SETTING)) {
      inconclusive(
          "of %d settings that would lose messages, Traits.notChecked() declares %s",
          brokenQueues().size(), notChecked);
    }
    for (Map.Entry<String, BrokenQueue> each : queues.entrySet()) {
      String queue = newName();
      deleteAtTheEnd(queue);
      AutoCloseable undo = each.getValue().make(queue);
      try {
        requireRefused(each.getKey(), queue);
      } finally {
        undo.close();
      }
    }
  }

  private static String nameOf(String setting) {
    return setting.substring(0, setting.indexOf('='));
  }

  private void requireRefused(String setting, String queue) {
    Mq mq;
    try {
      mq = open();
    } catch (MqException e) { // as good: nothing can be sent or received
      requireNames(setting, "connect", e);
      return;
    }
    Map<String, Executable> calls = new LinkedHashMap<>();
    calls.put("createQueue", () -> mq.createQueue(queue));
    calls.put("sender", () -> mq.sender(queue));
    calls.put("receiver", () -> mq.receiver(queue));
    calls.forEach(
        (what, call) -> {
          Throwable failure = thrownBy(call);
          if (failure == null) {
            throw breach("%s took queue %s, of which %s", what, queue, setting);
          }
          if (!(failure instanceof MqException refusal)) {
            throw breach(failure, "%s threw no MqException but %s", what, failure);
          }
          requireNames(setting, what, refusal);
        });
  }

  private void requireNames(String setting, String what, MqException refusal) {
    String name = nameOf(setting);
    String wanted = "%s is %s, must be ".formatted(name, setting.substring(name.length() + 1));
    String text = String.valueOf(refusal.getMessage());
    if (!text.contains(wanted) || text.lines().count() != 1) {
      throw breach(
          refusal, "the refusal of %s is not one line with '%s...': %s", what, wanted, text);
    }
  }

  private static @Nullable Throwable thrownBy(Executable call) {
    try {
      call.execute();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  // --- The rest of the contract: no rule of at-least-once delivery, but promised all the same ---

  @ChecksContract
  @DisplayName("contract: createQueue on an existing queue keeps its messages and their claims")
  void contract_createQueueKeepsMessages() throws Exception {
    requireThatAcksSettle();
    Mq mq = open();
    Mq another = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("acked", few(2)));
    Receiver first = mq.receiver(queue);
    List<Delivery> acked = hold(first, few(2));
    boolean unused = ackIfPossible(first, acked);
    sender.send(messages("held", few(3)));
    long start = now();
    List<Delivery> held = hold(first, few(3));
    mq.createQueue(queue);
    another.createQueue(queue);
    sender.send(messages("m", 1));
    boolean settled = ackIfPossible(first, held);
    assertThat(settled || claimsMayHaveEnded(start)).as("ack of what was held meanwhile").isTrue();
    first.close();
    sender.close();
    List<String> seen = drain(another.receiver(queue), List.of("m0"));
    assertThat(seen).contains("m0").noneMatch(ids(acked)::contains);
    if (settled) {
      assertThat(seen).noneMatch(ids(held)::contains);
    }
  }

  @ChecksContract
  @DisplayName("contract: deleteQueue of a queue that never was changes nothing")
  void contract_deleteQueueIsIdempotent() {
    Mq mq = open();
    mq.deleteQueue(newName());
  }

  @ChecksContract
  @DisplayName("contract: a queue that does not exist can be neither sent to nor received from")
  void contract_aMissingQueueIsAnError() {
    Mq mq = open();
    assertThatExceptionOfType(MqException.class)
        .as("a sender, or its first send")
        .isThrownBy(() -> mq.sender("no-such-queue").send(messages("m", 1)));
    assertThatExceptionOfType(MqException.class)
        .as("a receiver, or its first receive")
        .isThrownBy(() -> mq.receiver("no-such-queue").receive(1, Duration.ofMillis(100)));
  }

  @ChecksContract
  @DisplayName("contract: a queue that was missing works once another connection has created it")
  void contract_aMissingQueueWorksOnceItIsThere() throws Exception {
    Mq mq = open();
    String queue = newName();
    if (!(thrownBy(() -> mq.sender(queue).send(messages("early", 1))) instanceof MqException)) {
      inconclusive("a message could be sent to a queue that does not exist");
    }
    Throwable missed = thrownBy(() -> mq.receiver(queue).receive(1, Duration.ofMillis(100)));
    String unused = newQueue(open(), queue);
    assertThat(failureInTheEnd(() -> mq.sender(queue).send(messages("m", 1))))
        .as("a send through the connection that missed it")
        .isNull();
    assertThat(failureInTheEnd(() -> assertThat(hold(mq.receiver(queue), 1)).isNotEmpty()))
        .as("a receive through the connection that missed it, where it threw %s", missed)
        .isNull();
  }

  /** Why a call fails still, or null: what a client remembers of a queue gets old. */
  private @Nullable Throwable failureInTheEnd(Executable call) {
    Waiting waiting = new Waiting(patience());
    Throwable failure = thrownBy(call);
    while (failure != null && !waiting.isOver()) {
      LockSupport.parkNanos(oneWait().toNanos() / 5);
      failure = thrownBy(call);
      waiting.progress(failure == null);
    }
    return failure;
  }

  @ChecksContract
  @DisplayName("contract: invalid queue names are refused, wherever the wrong character is")
  void contract_invalidQueueNamesAreRefused() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<String> invalid =
        new ArrayList<>(List.of("", ".", "..", "x".repeat(201), "x".repeat(201) + "\n"));
    for (String wrong : WRONG_CHARACTERS) {
      invalid.addAll(List.of(wrong, wrong + queue, queue + wrong, "a" + wrong + "b"));
    }
    for (String name : invalid) {
      assertThatIllegalArgumentException()
          .as("createQueue('%s')", name)
          .isThrownBy(() -> mq.createQueue(name));
    }
    // Who takes such a name for a valid one must not find that one's queue by it.
    mq.sender(queue).send(messages("m", 1));
    for (String name : List.of(queue + "\n", queue + " ", " " + queue)) {
      assertThatThrownBy(() -> mq.sender(name).send(messages("stray", 1)))
          .as("sender('%s')", name)
          .isInstanceOfAny(IllegalArgumentException.class, MqException.class);
      try {
        assertThat(mq.receiver(name).receive(1, Duration.ofMillis(1))).as("'%s'", name).isEmpty();
      } catch (IllegalArgumentException | MqException e) {
        // likewise
      }
      try {
        mq.deleteQueue(name);
      } catch (IllegalArgumentException | MqException e) {
        // likewise
      }
    }
    assertThat(drain(mq.receiver(queue), List.of("m0"))).contains("m0").doesNotContain("stray0");
  }

  @ChecksContract
  @DisplayName("contract: the longest, shortest and strangest valid queue names work")
  void contract_validQueueNamesWork() throws Exception {
    Mq mq = open();
    List<String> names = List.of("A.z_9-" + "x".repeat(194), "-", "...", "_.");
    try {
      for (String name : names) {
        mq.createQueue(name);
        mq.sender(name).send(messages("of " + name.length() + "-", 1));
      }
      for (String name : names) {
        assertThat(collect(mq.receiver(name), 1)).containsOnlyKeys("of " + name.length() + "-0");
      }
    } finally {
      names.forEach(mq::deleteQueue);
    }
  }

  @ChecksContract
  @DisplayName("contract: receive refuses a max below 1 and a negative timeout")
  void contract_receiveChecksItsArguments() {
    Mq mq = open();
    Receiver receiver = mq.receiver(newQueue(mq));
    assertThatIllegalArgumentException().isThrownBy(() -> receiver.receive(0, Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> receiver.receive(-1, Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> receiver.receive(1, Duration.ofMillis(-1)));
  }

  @ChecksContract
  @DisplayName("contract: empty batches are sent and acked at once")
  void contract_emptyBatchesAreFine() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(List.of());
    sender.sendAsync(List.of()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    Receiver receiver = mq.receiver(queue);
    receiver.ack(List.of()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    if (canRelease(receiver)) {
      receiver.release(List.of()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    }
    if (canExtend(receiver)) {
      receiver.extend(List.of()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @ChecksContract
  @DisplayName("contract: one sender's messages arrive in order, where that is declared")
  void contract_orderIsKeptWhereDeclared() throws Exception {
    requireOrder(false, 500);
  }

  @ChecksContract
  @DisplayName("contract: what sendAsync sent arrives in order, where that is declared")
  void contract_orderOfSendAsyncIsKeptWhereDeclared() throws Exception {
    requireOrder(true, 500);
  }

  @ChecksContract
  @DisplayName("contract: large and small receives keep the order, where that is declared")
  void contract_orderOfAnyReceiveIsKeptWhereDeclared() throws Exception {
    requireOrder(true, 2_000);
  }

  /** A batch that takes a small part of the bound of a call, by the measure of a first one. */
  private int largestInTime(Sender sender, List<String> sent) throws InterruptedException {
    List<Message> first = messages("first-", 20);
    long start = System.nanoTime();
    sender.send(first);
    sent.addAll(idsOf(first));
    long nanosEach = Math.max(1, (System.nanoTime() - start) / first.size());
    long inTime = shorter(traits().callBound(), patience()).toNanos() / 20 / nanosEach;
    return (int) Math.max(first.size(), Math.min(Integer.MAX_VALUE, inTime));
  }

  /** Together more than what clients send with one request, if bodies may be as large. */
  private List<Message> largeMessages(String prefix) {
    String rest = "x".repeat(Math.min(LARGE_BYTES, traits().largestBodyBytes() - LONGEST_ID));
    return IntStream.range(0, LARGE_COUNT).mapToObj(i -> message(prefix + i + "-" + rest)).toList();
  }

  private static String beginning(String id) {
    return id.substring(0, Math.min(LONGEST_ID, id.length()));
  }

  private void requireOrder(boolean async, int most) throws Exception {
    requireThatOrderIsDeclared();
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    List<String> sent = new ArrayList<>();
    List<CompletableFuture<Void>> open = new ArrayList<>();
    int[] sizes = {1, 2, 3, 4, 5, draw(11, 70), draw(257, 800), 1_500};
    int largest = largestInTime(sender, sent);
    for (int i = 0; i < 56; i++) {
      int size = Math.min(largest, sizes[i < 50 ? i % 6 : i % sizes.length]);
      List<Message> batch = i % 16 == 15 ? largeMessages(i + "-") : messages(i + "-", size);
      if (async) {
        open.add(sender.sendAsync(batch));
      } else {
        sender.send(batch);
      }
      sent.addAll(idsOf(batch));
    }
    for (CompletableFuture<Void> one : open) {
      one.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    }
    Set<String> arrived = new LinkedHashSet<>();
    Receiver receiver = mq.receiver(queue);
    Waiting waiting = new Waiting(patience());
    while (arrived.size() < sent.size() && !waiting.isOver()) {
      List<Delivery> got = receive(receiver, arrived.size() < 200 ? draw(1, 30) : most, oneWait());
      waiting.progress(arrived.addAll(ids(got)));
      ackIfPossible(receiver, got);
    }
    // A redelivery does not count, and a gap is for ALO-01.
    Map<String, Integer> places = new HashMap<>();
    sent.forEach(id -> places.put(id, places.size()));
    int last = -1;
    for (String id : arrived) {
      int place = places.getOrDefault(id, last);
      if (place < last) {
        throw breach(
            "message %d, %s, arrived after message %d, %s",
            place, beginning(id), last, beginning(sent.get(last)));
      }
      last = place;
    }
  }

  @ChecksContract
  @DisplayName("contract: competing receivers get each sender's messages in order, where declared")
  void contract_orderIsKeptUnderCompetition() throws Exception {
    requireThatOrderIsDeclared();
    Mq mq = open();
    String queue = newQueue(mq);
    List<Receiver> receivers = List.of(mq.receiver(queue), open().receiver(queue));
    warmUp(receivers.toArray(Receiver[]::new));
    List<BoundedCall<@Nullable Void>> sending = new ArrayList<>();
    AtomicInteger sent = new AtomicInteger();
    for (int i = 0; i < 2; i++) {
      Sender sender = mq.sender(queue);
      String name = i + "-";
      boolean async = i == 1;
      sending.add(BoundedCall.start("send", () -> sendNumbered(sender, name, async, sent)));
    }
    Set<String> arrived = ConcurrentHashMap.newKeySet();
    List<BoundedCall<Set<String>>> receiving = new ArrayList<>();
    for (Receiver receiver : receivers) {
      receiving.add(
          BoundedCall.start("receive", () -> inOrderOfArrival(receiver, arrived, sent, sending)));
    }
    List<Set<String>> received = new ArrayList<>();
    for (BoundedCall<Set<String>> call : receiving) {
      if (!call.endsWithin(testLimit())) {
        throw breach("a receiver still waits%s", call.stack());
      }
      received.add(call.value());
    }
    requireRising(received.get(0), received.get(1));
    requireRising(received.get(1), received.get(0));
    for (BoundedCall<@Nullable Void> call : sending) {
      if (call.failure() != null) {
        throw breach(call.failure(), "a sender failed: %s", call.failure());
      }
    }
  }

  private @Nullable Void sendNumbered(Sender sender, String name, boolean async, AtomicInteger sent)
      throws Exception {
    int next = 0;
    long start = System.nanoTime();
    List<CompletableFuture<Void>> open = new ArrayList<>();
    for (int i = 0; i < 300 && !hasPassed(enough(), start); i++) {
      List<Message> batch = new ArrayList<>();
      for (int size = 1 + i % 7; size > 0; size--) {
        batch.add(message(name + next++));
      }
      if (async) {
        open.add(sender.sendAsync(batch));
      } else {
        sender.send(batch);
      }
      sent.addAndGet(batch.size());
    }
    for (CompletableFuture<Void> one : open) {
      one.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    }
    return null;
  }

  private Set<String> inOrderOfArrival(
      Receiver receiver,
      Set<String> arrived,
      AtomicInteger sent,
      List<BoundedCall<@Nullable Void>> sending)
      throws Exception {
    Set<String> received = new LinkedHashSet<>();
    Waiting waiting = new Waiting(patience());
    while (!sending.stream().allMatch(BoundedCall::hasEnded) || arrived.size() < sent.get()) {
      List<Delivery> got = receive(receiver, 20, oneWait());
      List<String> ids = ids(got);
      received.addAll(ids);
      arrived.addAll(ids);
      waiting.progress(!got.isEmpty());
      ackIfPossible(receiver, got);
      if (waiting.isOver()) {
        break; // what is missing is for ALO-17
      }
    }
    return received;
  }

  /** What another got too does not count: which of the two was the redelivery is not known. */
  private void requireRising(Set<String> received, Set<String> ofAnother) {
    Map<String, Integer> last = new HashMap<>();
    for (String id : received) {
      String sender = id.substring(0, id.indexOf('-'));
      int number = Integer.parseInt(id.substring(id.indexOf('-') + 1));
      Integer before = ofAnother.contains(id) ? null : last.put(sender, number);
      if (before != null && before > number) {
        throw breach(
            "one receiver got message %d of sender %s after message %d", number, sender, before);
      }
    }
  }

  private void requireThatOrderIsDeclared() {
    if (traits().ordering() == Ordering.NONE) {
      inconclusive("no order is declared");
    }
  }

  @ChecksContract
  @DisplayName(
      "contract: the attempt of a delivery, where it is told, is 1 and then grows and grows")
  void contract_attemptsGrow() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("m", 1));
    List<Delivery> deliveries = new ArrayList<>();
    List<OptionalInt> attempts = new ArrayList<>();
    int most = Math.min(12, mostDeliveries());
    for (int i = 0;
        i < most && (i < 3 || attempts.stream().anyMatch(OptionalInt::isPresent));
        i++) {
      try (Receiver receiver = mq.receiver(queue)) {
        List<Delivery> held = hold(receiver, 1);
        if (held.isEmpty()) {
          break; // which breaks ALO-06
        }
        for (Delivery delivery : held) {
          if (id(delivery).equals("m0")) {
            deliveries.add(delivery);
            attempts.add(delivery.attempt());
          }
        }
        if (canExtend(receiver)) {
          boolean unused = settles(receiver.extend(held)); // which delivers nothing
        }
        if (i == 2 && attempts.stream().anyMatch(OptionalInt::isPresent)) {
          sender.send(messages("fresh", 1));
          for (Delivery fresh : receive(receiver, 1, oneWait())) {
            if (id(fresh).equals("fresh0")) { // nothing has given it back before
              assertThat(fresh.attempt().orElse(1)).as("attempt of another message").isEqualTo(1);
            }
            CompletableFuture<Void> unused = receiver.ack(List.of(fresh));
          }
        }
      }
    }
    if (attempts.isEmpty() || attempts.stream().noneMatch(OptionalInt::isPresent)) {
      inconclusive("this system does not count attempts");
    }
    assertThat(attempts).as("attempt").allMatch(OptionalInt::isPresent);
    List<Integer> counts = attempts.stream().map(OptionalInt::getAsInt).toList();
    assertThat(counts).as("attempt").startsWith(1);
    for (int i = 1; i < counts.size(); i++) {
      assertThat(counts.get(i)).as("attempt, of %s", counts).isGreaterThan(counts.get(i - 1));
    }
    assertThat(deliveries.stream().map(Delivery::attempt).toList())
        .as("attempt of each delivery, asked again")
        .isEqualTo(attempts);
  }

  @ChecksContract
  @DisplayName("contract: the attempt of a delivery, where it is told, grows by a release too")
  void contract_attemptsGrowByReleases() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    Receiver receiver = mq.receiver(queue);
    requireRelease(receiver);
    List<Integer> counts = new ArrayList<>();
    for (int i = 0; i < Math.min(8, mostDeliveries()); i++) {
      List<Delivery> held = hold(receiver, 1);
      if (held.isEmpty() || held.get(0).attempt().isEmpty()) {
        inconclusive("this system does not count attempts, or a release did not give back");
      }
      counts.add(held.get(0).attempt().getAsInt());
      boolean unused = settles(receiver.release(held));
    }
    for (int i = 1; i < counts.size(); i++) {
      assertThat(counts.get(i)).as("attempt, of %s", counts).isGreaterThan(counts.get(i - 1));
    }
  }

  @ChecksContract
  @Order(Checks.LONG)
  @DisplayName("contract: the attempt of a delivery, where it is told, grows by an expiry too")
  void contract_attemptsGrowByExpiries() throws Exception {
    Duration period = claimPeriod();
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("m", 1));
    List<Integer> counts = new ArrayList<>();
    for (Mq next : List.of(mq, open())) {
      List<Delivery> held = hold(next.receiver(queue), 1);
      if (held.isEmpty() || held.get(0).attempt().isEmpty()) {
        inconclusive("this system does not count attempts, or an expiry did not give back");
      }
      counts.add(held.get(0).attempt().getAsInt());
      pass(next == mq ? period.plusMillis(1) : Duration.ZERO);
    }
    assertThat(counts.get(1)).as("attempt, of %s", counts).isGreaterThan(counts.get(0));
  }

  @ChecksContract
  @DisplayName("contract: a receiver never holds more deliveries than declared")
  void contract_aReceiverHoldsAtMostAsManyAsDeclared() throws Exception {
    int most = traits().mostInFlight();
    if (most > MOST_HELD) {
      inconclusive("more than %d are declared", MOST_HELD);
    }
    Mq mq = open();
    String queue = newQueue(mq);
    sendAll(mq.sender(queue), messages("m", most + FEW_MORE));
    List<String> held = ids(holdWithin(0.4, mq.receiver(queue), most + FEW_MORE));
    if (Set.copyOf(held).size() < held.size()) {
      inconclusive("claims ended meanwhile");
    }
    assertThat(held).as("deliveries that a receiver holds").hasSizeLessThanOrEqualTo(most);
  }

  @ChecksContract
  @DisplayName("contract: a receiver of a queue that is deleted fails soon")
  void contract_aReceiverOfADeletedQueueFails() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<Receiver> receivers = List.of(mq.receiver(queue), open().receiver(queue));
    warmUp(receivers.toArray(Receiver[]::new));
    mq.deleteQueue(queue);
    for (Receiver receiver : receivers) {
      assertThat(failsSoon(receiver)).as("a receiver of a deleted queue fails").isTrue();
    }
  }

  @ChecksContract
  @DisplayName("contract: a receiver that waits while its queue is deleted fails soon")
  void contract_aReceiverThatWaitsForADeletedQueueFails() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    List<BoundedCall<List<Delivery>>> waiting = new ArrayList<>();
    for (Receiver receiver : List.of(mq.receiver(queue), open().receiver(queue))) {
      warmUp(receiver);
      waiting.add(
          BoundedCall.start("wait", () -> receive(receiver, 1, patience().multipliedBy(3))));
    }
    for (BoundedCall<?> call : waiting) {
      awaitBlocked(call);
    }
    mq.deleteQueue(queue);
    for (BoundedCall<?> call : waiting) {
      boolean ended = call.endsWithinAnother(patience());
      call.interrupt();
      assertThat(ended).as("a receiver of a deleted queue fails, one that waits").isTrue();
      assertThat(call.thrown())
          .as("what it threw")
          .isInstanceOfAny(MqException.class, IllegalStateException.class);
    }
  }

  private boolean failsSoon(Receiver receiver) throws InterruptedException {
    Waiting waiting = new Waiting(patience());
    while (!waiting.isOver()) {
      try {
        waiting.progress(!receive(receiver, 1, oneWait()).isEmpty());
      } catch (MqException | IllegalStateException e) {
        return true;
      }
    }
    return false;
  }

  @ChecksContract
  @DisplayName("contract: traits and a delivery's message are the same at every call")
  void contract_valuesAreStable() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    assertThat(mq.traits()).hasToString(mq.traits().toString());
    mq.sender(queue).send(messages("m", 1));
    var delivery = collect(mq.receiver(queue), 1).values().iterator().next();
    assertThat(delivery.message()).isSameAs(delivery.message());
  }
}
