package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mqproof.AckFailedException;
import org.mqproof.AckMode;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.Traits;
import org.mqproof.conformance.Program.Home;
import org.mqproof.conformance.QueueModel.GivenAck;
import org.mqproof.conformance.QueueModel.Handed;
import org.mqproof.conformance.QueueModel.Holder;
import org.mqproof.conformance.QueueModel.NotAllowed;
import org.mqproof.conformance.QueueModel.Sent;
import org.mqproof.conformance.Step.Batch;
import org.mqproof.conformance.Step.Kind;
import org.mqproof.conformance.Step.Pick;

/**
 * One execution of a program against the system under test, each call judged by a model, and the
 * end as well: every client closes, a new one receives what is left.
 *
 * <p>For one thread, which starts those of parallel tracks.
 */
final class ProgramRun {

  /** More are not sent to one queue, so that no system runs out of room. */
  private static final int MOST_MESSAGES = 50_000;

  /** A call may be made of so many steps, each of which may be given up when its share is over. */
  private static final int STEPS = 5;

  /** How long a receiver that gets nothing is believed to get nothing more for now. */
  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** Calls that are kept for a failure's text. */
  private static final int MOST_LOGGED = 200;

  private final HistoryRules kit;
  private final Program program;
  private final List<String> names;
  private final boolean redeliversAtRandom;
  private final Duration lingers;
  private final AtomicLong movedNanos = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
  private final Queue<CompletableFuture<?>> open = new ConcurrentLinkedQueue<>();
  private final AtomicInteger bodies = new AtomicInteger();
  private final Deque<Logged> log = new ConcurrentLinkedDeque<>();
  private final AtomicInteger logged = new AtomicInteger();
  private final long beganNanos = System.nanoTime();
  private final AtomicInteger opened = new AtomicInteger();
  private final ConnectionSlot[] connections;
  private final SenderSlot[] senders;
  private final ReceiverSlot[] receivers;
  private final QueueModel[] models;
  private volatile boolean broken;
  private volatile boolean endsEarly;

  /** A connection, or the place for one. Opened and closed under its own lock. */
  private static final class ConnectionSlot {
    @Nullable Live live;
  }

  /** An open connection and who uses it. */
  private static final class Live {
    final Mq mq;
    final Queue<OpenReceiver> receivers = new ConcurrentLinkedQueue<>();
    final Queue<OpenSender> senders = new ConcurrentLinkedQueue<>();

    /** Sends and acks whose outcome is open. */
    final Set<Pending> pending = ConcurrentHashMap.newKeySet();

    volatile boolean closing;

    /** Something took so long that it may have been given up, and whoever waited for it too. */
    volatile boolean slow;

    Live(Mq mq) {
      this.mq = mq;
    }
  }

  /** A call whose outcome is open; each is equal to itself alone. */
  private static final class Pending {
    final long startNanos;

    Pending(long startNanos) {
      this.startNanos = startNanos;
    }
  }

  private static final class SenderSlot {
    final int index;
    final Home home;
    @Nullable OpenSender open;

    SenderSlot(int index, Home home) {
      this.index = index;
      this.home = home;
    }
  }

  private record OpenSender(
      Live live,
      Sender sender,
      int number,
      Queue<CompletableFuture<Void>> sent,
      AtomicBoolean failed) {}

  private static final class ReceiverSlot {
    final int index;
    final Home home;
    @Nullable OpenReceiver open;

    ReceiverSlot(int index, Home home) {
      this.index = index;
      this.home = home;
    }
  }

  /** Used by the one thread that may use the receiver, but for its holder. */
  private static final class OpenReceiver {
    final Live live;
    final Receiver receiver;
    final QueueModel model;
    final Holder holder;
    final Queue<CompletableFuture<Void>> acks = new ConcurrentLinkedQueue<>();
    boolean failed;
    List<Handed> held = new ArrayList<>();
    final List<Handed> acked = new ArrayList<>();

    OpenReceiver(Live live, Receiver receiver, QueueModel model, Holder holder) {
      this.live = live;
      this.receiver = receiver;
      this.model = model;
      this.holder = holder;
    }
  }

  /**
   * A run that was not started.
   *
   * @param names of the program's queues, which are empty
   * @param redeliversAtRandom as {@link QueueModel} has it
   * @param lingers how long the end waits for what must not come
   */
  ProgramRun(
      HistoryRules kit,
      Program program,
      List<String> names,
      boolean redeliversAtRandom,
      Duration lingers) {
    this.kit = kit;
    this.program = program;
    this.names = names;
    this.redeliversAtRandom = redeliversAtRandom;
    this.lingers = lingers;
    connections = new ConnectionSlot[program.connections()];
    Arrays.setAll(connections, i -> new ConnectionSlot());
    senders = new SenderSlot[program.senders().size()];
    Arrays.setAll(senders, i -> new SenderSlot(i, program.senders().get(i)));
    receivers = new ReceiverSlot[program.receivers().size()];
    Arrays.setAll(receivers, i -> new ReceiverSlot(i, program.receivers().get(i)));
    models = new QueueModel[program.queues()];
    Arrays.setAll(models, i -> newModel());
  }

  private QueueModel newModel() {
    return new QueueModel(kit.traits(), this::now, redeliversAtRandom);
  }

  private long now() {
    return System.nanoTime() + movedNanos.get();
  }

  /**
   * Runs the program on queues that exist and are empty.
   *
   * @throws NotAllowed what the system did that a correct one does not
   */
  void run() throws Exception {
    try {
      runAll(program.steps());
      settle();
    } finally {
      abandon();
    }
  }

  /** What was called and how it ended, the last first. */
  List<String> log() {
    List<String> lines = new ArrayList<>();
    log.forEach(call -> lines.add(call.text(beganNanos)));
    if (logged.get() > lines.size()) {
      lines.add("(and %d calls before)".formatted(logged.get() - lines.size()));
    }
    return lines;
  }

  /** A call that was made or has ended, not yet worded. */
  private record Logged(long atNanos, String thread, String format, List<Object> args) {
    String text(long beganNanos) {
      return "%,9d us %s: %s"
          .formatted(
              TimeUnit.NANOSECONDS.toMicros(atNanos - beganNanos),
              thread,
              format.formatted(args.toArray()));
    }
  }

  private void log(String format, Object... args) {
    String thread = Thread.currentThread().getName().replace("mq-conformance ", "");
    log.addFirst(new Logged(System.nanoTime(), thread, format, List.of(args)));
    if (logged.incrementAndGet() > MOST_LOGGED) {
      log.pollLast();
    }
  }

  /** Messages of all queues. */
  int messages() {
    return Arrays.stream(models).mapToInt(QueueModel::messages).sum();
  }

  private void runAll(List<Step> steps) throws Exception {
    for (Step step : steps) {
      requireNoFailure();
      if (endsEarly) {
        return;
      }
      run(step);
    }
  }

  /**
   * Waits for a call of this run for as long as anything goes on. A run that takes long leaves its
   * further steps out, which is a legal program too.
   *
   * @return whether it has ended; else nothing went on for so long that it hangs
   */
  boolean awaitEnd(BoundedCall<?> call) throws InterruptedException {
    int calls = logged.get();
    long progress = System.nanoTime();
    while (!call.endsWithinAnother(PAUSE)) {
      if (logged.get() != calls) {
        calls = logged.get();
        progress = System.nanoTime();
      } else if (KitFixture.hasPassed(kit.historyLimit(), progress)) {
        return false;
      }
      if (KitFixture.hasPassed(kit.longHistory(), beganNanos)) {
        endsEarly = true;
      }
    }
    return true;
  }

  private void requireNoFailure() throws Exception {
    Throwable failure = firstFailure.get();
    if (failure instanceof Error error) {
      throw error;
    } else if (failure != null) {
      throw (Exception) failure;
    }
  }

  private void run(Step step) throws Exception {
    if (step instanceof Step.Send send) {
      send(send);
    } else if (step instanceof Step.Receive receive) {
      OpenReceiver receiver = receiver(receive.receiver());
      if (receiver != null) {
        receive(receiver, receive.max(), Duration.ofMillis(receive.timeoutMillis()));
      }
    } else if (step instanceof Step.Collect collect) {
      collect(collect);
    } else if (step instanceof Step.Ack ack) {
      ack(ack);
    } else if (step instanceof Step.AckAgain again) {
      ackAgain(again);
    } else if (step instanceof Step.Release release) {
      release(release);
    } else if (step instanceof Step.Extend extend) {
      extend(extend);
    } else if (step instanceof Step.AckOthers others) {
      ackOthers(others);
    } else if (step instanceof Step.Open what) {
      open(what);
    } else if (step instanceof Step.Close what) {
      close(what.kind(), what.index());
    } else if (step instanceof Step.Elapse elapse) {
      elapse(elapse.percent());
    } else if (step instanceof Step.Recreate recreate) {
      recreate(recreate);
    } else if (step instanceof Step.InterruptReceive interrupted) {
      interruptReceive(interrupted);
    } else if (step instanceof Step.InterruptSend interrupted) {
      interruptSend(interrupted);
    } else if (step instanceof Step.BreakConnections) {
      breakConnections();
    } else if (step instanceof Step.Repeat repeat) {
      for (int i = 0; i < repeat.times(); i++) {
        runAll(repeat.steps());
      }
    } else if (step instanceof Step.Parallel parallel) {
      runParallel(parallel.tracks());
    }
  }

  private void runParallel(List<List<Step>> tracks) throws Exception {
    List<BoundedCall<@Nullable Void>> running = new ArrayList<>();
    for (List<Step> track : tracks) {
      running.add(
          BoundedCall.start(
              "track",
              () -> {
                runAll(track);
                return null;
              }));
    }
    for (BoundedCall<@Nullable Void> call : running) {
      if (!awaitEnd(call)) {
        throw hangs("a parallel track", call);
      }
      Throwable failure = call.failure();
      if (failure != null) {
        firstFailure.compareAndSet(null, failure);
      }
    }
    requireNoFailure();
  }

  private static NotAllowed hangs(String what, BoundedCall<?> call) {
    String stack = call.stack();
    call.interrupt();
    return new NotAllowed(AloRule.ALO_18, what + " hangs, at" + stack);
  }

  // --- opening and closing ---

  private void open(Step.Open what) throws Exception {
    switch (what.kind()) {
      case CONNECTION -> live(what.index());
      case SENDER -> sender(what.index());
      case RECEIVER -> receiver(what.index());
    }
  }

  private Live live(int connection) {
    ConnectionSlot slot = connections[connection];
    synchronized (slot) {
      if (slot.live == null) {
        slot.live = new Live(kit.open());
      }
      return slot.live;
    }
  }

  /** The open sender, or null if its connection was closed just now. */
  private @Nullable OpenSender sender(int index) {
    SenderSlot slot = senders[index];
    OpenSender known = slot.open;
    if (known != null && known.failed.get()) {
      known.sender.close();
    } else if (known != null && !known.live.closing) {
      return known;
    }
    Live live = live(slot.home.connection());
    long start = System.nanoTime();
    try {
      Sender sender = live.mq.sender(names.get(slot.home.queue()));
      OpenSender made =
          new OpenSender(
              live,
              sender,
              opened.incrementAndGet(),
              new ConcurrentLinkedQueue<>(),
              new AtomicBoolean());
      slot.open = made;
      live.senders.add(made);
      log("opened s%d", index);
      return made;
    } catch (IllegalStateException | MqException e) {
      requireExcuse("Mq.sender", live, start, e);
      return null;
    }
  }

  /** The open receiver, or null if its connection was closed just now. */
  private @Nullable OpenReceiver receiver(int index) throws Exception {
    ReceiverSlot slot = receivers[index];
    OpenReceiver known = slot.open;
    if (known != null && known.failed) {
      close(known);
    } else if (known != null && !known.live.closing) {
      return known;
    }
    Live live = live(slot.home.connection());
    long start = System.nanoTime();
    try {
      Receiver receiver = live.mq.receiver(names.get(slot.home.queue()));
      OpenReceiver made =
          new OpenReceiver(
              live,
              receiver,
              models[slot.home.queue()],
              new Holder("r" + index + " (the " + opened.incrementAndGet() + ". receiver)"));
      slot.open = made;
      live.receivers.add(made);
      log("opened %s", made.holder.name);
      if (live.closing) { // its claims are not known to anybody who closes
        made.model.ends(made.holder);
      }
      return made;
    } catch (IllegalStateException | MqException e) {
      requireExcuse("Mq.receiver", live, start, e);
      return null;
    }
  }

  /** Nothing else explains that a call fails: a close, a fault, or a call that took its bound. */
  private void requireExcuse(String what, Live live, long startNanos, Throwable failure) {
    if (!isExcused(live, startNanos)) {
      throw new NotAllowed(
          AloRule.ALO_22, "%s failed although nothing was wrong: %s".formatted(what, failure));
    }
  }

  private boolean isExcused(Live live, long startNanos) {
    noteIfSlow(live, startNanos);
    live.pending.forEach(one -> noteIfSlow(live, one.startNanos));
    return live.closing || broken || live.slow;
  }

  private void noteIfSlow(Live live, long startNanos) {
    if (KitFixture.hasPassed(kit.traits().callBound().dividedBy(STEPS), startNanos)) {
      live.slow = true;
    }
  }

  /** Notes what is open, and that it has ended: in time, or so late that others may have failed. */
  private <T> CompletableFuture<T> noted(Live live, long startNanos, CompletableFuture<T> open) {
    Pending one = new Pending(startNanos);
    live.pending.add(one);
    return open.whenComplete(
        (done, failure) -> {
          live.pending.remove(one);
          noteIfSlow(live, startNanos);
        });
  }

  private void close(Kind kind, int index) throws Exception {
    switch (kind) {
      case SENDER -> {
        OpenSender sender = senders[index % senders.length].open;
        senders[index % senders.length].open = null;
        if (sender != null) {
          sender.sender.close();
          log("closed s%d", index);
          requireDone("the sender closed", sender.sent);
        }
      }
      case RECEIVER -> {
        OpenReceiver receiver = receivers[index % receivers.length].open;
        receivers[index % receivers.length].open = null;
        if (receiver != null) {
          close(receiver);
        }
      }
      case CONNECTION -> closeConnection(connections[index % connections.length]);
    }
  }

  private void close(OpenReceiver receiver) throws Exception {
    receiver.model.ends(receiver.holder);
    receiver.receiver.close();
    log("closed %s", receiver.holder.name);
    requireDone("the receiver closed", receiver.acks);
  }

  private void closeConnection(ConnectionSlot slot) throws Exception {
    Live live;
    synchronized (slot) {
      live = slot.live;
      slot.live = null;
      if (live == null) {
        return;
      }
      live.closing = true;
    }
    live.receivers.forEach(receiver -> receiver.model.ends(receiver.holder));
    log("closes a connection");
    kit.close(live.mq);
    log("closed a connection");
    for (OpenSender sender : live.senders) {
      requireDone("the connection closed", sender.sent);
    }
    for (OpenReceiver receiver : live.receivers) {
      requireDone("the connection closed", receiver.acks);
      requireClosed(receiver);
    }
  }

  private void requireDone(String after, Queue<CompletableFuture<Void>> futures) throws Exception {
    for (CompletableFuture<Void> future : futures) {
      await(future, after + ", and a future of send or ack never completed");
    }
  }

  /** Whoever opened a receiver while its connection closed must not be left with it. */
  private static void requireClosed(OpenReceiver receiver) throws InterruptedException {
    try {
      List<Delivery> got = receiver.receiver.receive(1, Duration.ZERO);
      throw new NotAllowed(
          AloRule.ALO_14,
          "receive on %s returned %s after its connection had closed"
              .formatted(receiver.holder.name, got));
    } catch (IllegalStateException e) {
      // as it should
    }
  }

  // --- sending ---

  private void send(Step.Send step) throws Exception {
    OpenSender sender = sender(step.sender());
    if (sender == null) {
      return;
    }
    int queue = senders[step.sender()].home.queue();
    QueueModel model = models[queue];
    if (model.messages() + step.batch().count() > MOST_MESSAGES) {
      return;
    }
    List<Message> batch = messages(step.sender(), step.batch());
    Sent sent = model.attempt(sender.number, batch);
    long start = System.nanoTime();
    if (step.async()) {
      CompletableFuture<Void> future;
      try {
        future = noted(sender.live, start, sender.sender.sendAsync(batch));
      } catch (IllegalStateException | MqException e) {
        requireExcuse("sendAsync", sender.live, start, e);
        return;
      }
      CompletableFuture<Void> judged =
          future.handle(
              (done, failure) -> {
                judging(() -> settle(model, sent, batch, failure, sender, start));
                return null;
              });
      sender.sent.add(judged);
      open.add(judged);
    } else {
      Throwable failure = null;
      try {
        sender.sender.send(batch);
      } catch (SendFailedException | IllegalStateException e) {
        failure = e;
      }
      settle(model, sent, batch, failure, sender, start);
    }
  }

  private interface Judgement {
    void judge() throws Exception;
  }

  /** For threads that are not ours: what they find is thrown by the next step. */
  private void judging(Judgement judgement) {
    try {
      judgement.judge();
    } catch (Exception | Error e) {
      firstFailure.compareAndSet(null, e);
    }
  }

  private void settle(
      QueueModel model,
      Sent sent,
      List<Message> batch,
      @Nullable Throwable wrapped,
      OpenSender sender,
      long startNanos) {
    Throwable failure = wrapped == null ? null : causeOf(wrapped);
    if (failure == null) {
      model.confirmed(sent);
    } else if (failure instanceof SendFailedException told) {
      model.failed(sent, told.outcomes(), isExcused(sender.live, startNanos), told);
      sender.failed.set(broken);
    } else if (failure instanceof IllegalStateException && sender.live.closing) {
      // Refused as a whole, or closed meanwhile: then nobody knows.
      model.failed(sent, Collections.nCopies(batch.size(), Outcome.UNKNOWN), true, failure);
    } else {
      throw new NotAllowed(
          AloRule.ALO_03, "a send failed with no SendFailedException but " + failure);
    }
    log("sent %d: %s", batch.size(), failure == null ? "confirmed" : failure);
    batch.forEach(message -> Arrays.fill(message.body(), (byte) '!')); // the caller's again
  }

  private List<Message> messages(int sender, Batch batch) {
    Random random = new Random(batch.seed());
    List<Message> messages = new ArrayList<>(batch.count());
    for (int i = 0; i < batch.count(); i++) {
      byte[] body = batch.equal() ? equalBody(batch) : body(sender, batch, random);
      messages.add(batch.equal() ? new Message(body) : withHeaders(body, drawn(batch, i)));
    }
    int largest = kit.traits().largestBodyBytes();
    for (int i = 0; i < batch.tooLarge(); i++) {
      int place = random.nextInt(batch.count());
      byte[] tooLarge = Arrays.copyOf(body(sender, batch, random), largest + 1);
      messages.set(place, new Message(tooLarge));
    }
    return messages;
  }

  /** How many headers a message has, without a draw that would change its body. */
  private static int drawn(Batch batch, int message) {
    return batch.headers() == 0 ? 0 : (batch.seed() + message) % (batch.headers() + 1);
  }

  /** Headers that are no others', beside a body that is no other's, but for the smallest. */
  private Message withHeaders(byte[] body, int count) {
    if (count == 0) {
      return new Message(body);
    }
    Traits traits = kit.traits();
    int left = Math.min(traits.largestHeadersBytes(), traits.largestBodyBytes() - body.length);
    Map<String, String> headers = new HashMap<>();
    int hash = Arrays.hashCode(body);
    for (int i = 0; i < count && left >= 40; i++) {
      String value = "e\u0301" + Integer.toHexString(hash * (i + 1)).repeat(1 + i % 3) + " ";
      headers.put((i % 2 == 0 ? "Key." : "key_") + i, value);
      left -= 40;
    }
    return headers.isEmpty() ? new Message(body) : new Message(body, headers);
  }

  private static byte[] equalBody(Batch batch) {
    byte[] body = new byte[batch.maxBytes()];
    Arrays.fill(body, (byte) batch.maxBytes());
    return body;
  }

  /** Unlike all others where there is room for that, with zeros in it and often at its end. */
  private byte[] body(int sender, Batch batch, Random random) {
    double most = Math.log(batch.maxBytes() + 1.0);
    double least = Math.log(batch.minBytes() + 1.0);
    int bytes = (int) Math.round(Math.exp(least + random.nextDouble() * (most - least)) - 1);
    if (random.nextInt(16) == 0) { // limits are where mistakes are
      bytes = random.nextBoolean() ? batch.maxBytes() : batch.minBytes();
    }
    byte[] body = new byte[Math.max(batch.minBytes(), Math.min(batch.maxBytes(), bytes))];
    long number = ((long) sender << 32) + bodies.incrementAndGet();
    for (int i = 0; i < Math.min(8, body.length); i++) {
      body[i] = (byte) (number >>> (8 * i));
    }
    long state = number * 0x9E3779B97F4A7C15L;
    int end = body.length - (number % 3 == 0 ? Math.min(body.length, 5) : 0);
    for (int i = 8; i < end; i++) {
      state = state * 6364136223846793005L + 1442695040888963407L;
      body[i] = (byte) (state >>> 56);
    }
    return body;
  }

  // --- receiving ---

  private void receive(OpenReceiver receiver, int max, Duration timeout)
      throws InterruptedException {
    long calledAt = now();
    long moved = movedNanos.get();
    long start = System.nanoTime();
    List<Delivery> got;
    try {
      got = receiver.receiver.receive(max, timeout);
    } catch (IllegalStateException | MqException e) {
      requireExcuse("receive", receiver.live, start, e);
      giveUp(receiver);
      return;
    }
    received(receiver, got, max, calledAt);
    if (got.isEmpty()
        && movedNanos.get() == moved
        && System.nanoTime() - start < timeout.minusMillis(2).toNanos()) {
      throw new NotAllowed(
          AloRule.ALO_12,
          "receive(%d, %s) returned an empty list after %s"
              .formatted(max, timeout, Duration.ofNanos(System.nanoTime() - start)));
    }
  }

  private void received(
      OpenReceiver receiver, @Nullable List<Delivery> got, int max, long calledAt) {
    if (got == null) {
      throw new NotAllowed(AloRule.ALO_12, "receive returned null");
    }
    if (got.size() > max) {
      throw new NotAllowed(
          AloRule.ALO_12, "receive(%d, ...) returned %d deliveries".formatted(max, got.size()));
    }
    if (!got.isEmpty()) {
      log("%s got %d", receiver.holder.name, got.size());
    }
    receiver.held.addAll(receiver.model.delivered(receiver.holder, got, calledAt));
    if (kit.traits().release() != Release.SAME_RECEIVER) { // the owner may
      got.forEach(delivery -> Arrays.fill(delivery.message().body(), (byte) '?'));
    }
  }

  /** A receiver that failed for a reason: whoever uses it next opens another. */
  private static void giveUp(OpenReceiver receiver) {
    receiver.failed = true;
    receiver.model.ends(receiver.holder);
  }

  private void collect(Step.Collect step) throws Exception {
    OpenReceiver receiver = receiver(step.receiver());
    if (receiver == null) {
      return;
    }
    int wanted = receiver.held.size() + kit.few(step.count());
    Duration pause = KitFixture.shorter(PAUSE, kit.patience());
    long progress = System.nanoTime();
    while (receiver.held.size() < wanted
        && receiver.held.size() < kit.traits().mostInFlight()
        && !receiver.live.closing
        && !KitFixture.hasPassed(pause, progress)) {
      int before = receiver.held.size();
      if (receiver.model.available() <= 0) {
        return; // nobody would wait for what cannot come
      }
      receive(receiver, wanted - before, KitFixture.shorter(kit.oneWait(), pause));
      if (receiver.held.size() > before) {
        progress = System.nanoTime();
      } else if (otherReceiversAreOpen(receiver)) {
        return; // others may have been given the rest ahead of their calls
      }
    }
  }

  private boolean otherReceiversAreOpen(OpenReceiver receiver) {
    for (ReceiverSlot slot : receivers) {
      OpenReceiver other = slot.open;
      if (other != null && other != receiver && other.model == receiver.model) {
        return true;
      }
    }
    return false;
  }

  private void ack(Step.Ack step) throws Exception {
    OpenReceiver receiver = receivers[step.receiver()].open;
    if (receiver == null || receiver.live.closing) {
      return;
    }
    List<Handed> picked = pick(receiver.held, step.pick());
    if (picked.isEmpty()) {
      return;
    }
    if (picked.size() == receiver.held.size()) {
      receiver.held = new ArrayList<>();
    } else {
      List<Handed> left = new ArrayList<>(receiver.held);
      left.removeAll(new HashSet<>(picked));
      receiver.held = left;
    }
    giveToAck(receiver, picked, step.awaited());
    receiver.acked.addAll(picked);
  }

  private void ackAgain(Step.AckAgain step) throws Exception {
    OpenReceiver receiver = receivers[step.receiver()].open;
    if (receiver == null || receiver.live.closing || receiver.acked.isEmpty()) {
      return;
    }
    List<Handed> picked = new ArrayList<>(pick(receiver.acked, step.pick()));
    if (!receiver.held.isEmpty()) {
      Handed one = receiver.held.remove(0);
      picked.add(one);
      receiver.acked.add(one);
    }
    giveToAck(receiver, picked, true);
  }

  private void giveToAck(OpenReceiver receiver, List<Handed> picked, boolean awaited)
      throws Exception {
    long start = System.nanoTime();
    GivenAck given = receiver.model.give(picked);
    log("acks %d of %s", picked.size(), receiver.holder.name);
    CompletableFuture<Void> future;
    try {
      future =
          noted(
              receiver.live,
              start,
              receiver.receiver.ack(picked.stream().map(handed -> handed.delivery).toList()));
    } catch (IllegalStateException | MqException e) {
      requireExcuse("ack", receiver.live, start, e);
      return;
    }
    CompletableFuture<Void> judged =
        future.handle(
            (done, failure) -> {
              judging(
                  () -> {
                    log(
                        "ack of %d by %s: %s",
                        picked.size(), receiver.holder.name, failure == null ? "settled" : failure);
                    if (failure == null) {
                      receiver.model.acked(given);
                    } else if (causeOf(failure) instanceof AckFailedException told
                        && !KitFixture.isOfAnEarlierContract(receiver.receiver)) {
                      receiver.model.ackFailed(given, isExcused(receiver.live, start), told);
                    } else {
                      receiver.model.ackFailed(given, isExcused(receiver.live, start), failure);
                    }
                  });
              return null;
            });
    receiver.acks.add(judged);
    open.add(judged);
    if (awaited && kit.traits().ackMode() == AckMode.SELECTIVE) {
      await(judged, "the ack of %d deliveries did not complete".formatted(picked.size()));
      requireNoFailure();
    }
  }

  private static Throwable causeOf(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void release(Step.Release step) throws Exception {
    OpenReceiver receiver = receivers[step.receiver()].open;
    if (receiver == null || receiver.live.closing || !kit.canRelease(receiver.receiver)) {
      return;
    }
    List<Handed> picked = pick(receiver.held, step.pick());
    if (picked.isEmpty()) {
      return;
    }
    List<Handed> left = new ArrayList<>(receiver.held);
    left.removeAll(new HashSet<>(picked));
    receiver.held = left;
    receiver.acked.addAll(picked); // may be given to an ack, which then fails
    QueueModel model = receiver.model;
    model.releases(picked);
    judge(
        "release",
        receiver,
        picked,
        Receiver::release,
        () -> model.released(picked),
        (excused, failure) -> model.releaseFailed(picked, excused, failure));
  }

  private void extend(Step.Extend step) throws Exception {
    OpenReceiver receiver = receivers[step.receiver()].open;
    if (receiver == null || receiver.live.closing || !kit.canExtend(receiver.receiver)) {
      return;
    }
    List<Handed> picked = pick(receiver.held, step.pick());
    QueueModel model = receiver.model;
    long calledAt = now();
    if (!picked.isEmpty()) {
      judge(
          "extend",
          receiver,
          picked,
          Receiver::extend,
          () -> model.extended(picked, calledAt),
          (excused, failure) -> model.extendFailed(picked, excused, failure));
    }
  }

  private interface Giving {
    CompletableFuture<Void> to(Receiver receiver, Collection<? extends Delivery> deliveries);
  }

  private interface Failing {
    void because(boolean excused, Throwable failure);
  }

  /** Gives deliveries to one call, awaits it, and lets the model judge how it ended. */
  private void judge(
      String what,
      OpenReceiver receiver,
      List<Handed> picked,
      Giving call,
      Judgement done,
      Failing failed)
      throws Exception {
    long start = System.nanoTime();
    CompletableFuture<Void> future;
    try {
      List<Delivery> deliveries = picked.stream().map(handed -> handed.delivery).toList();
      future = noted(receiver.live, start, call.to(receiver.receiver, deliveries));
    } catch (IllegalStateException | MqException e) {
      requireExcuse(what, receiver.live, start, e);
      return;
    }
    CompletableFuture<Void> judged =
        future.handle(
            (nothing, failure) -> {
              log(
                  "%s of %d by %s: %s",
                  what, picked.size(), receiver.holder.name, failure == null ? "done" : failure);
              judging(
                  () -> {
                    if (failure == null) {
                      done.judge();
                    } else {
                      failed.because(isExcused(receiver.live, start), causeOf(failure));
                    }
                  });
              return null;
            });
    await(judged, "the %s of %d deliveries did not complete".formatted(what, picked.size()));
    requireNoFailure();
  }

  private void ackOthers(Step.AckOthers step) {
    OpenReceiver receiver = receivers[step.receiver()].open;
    OpenReceiver holder = receivers[step.holder()].open;
    if (receiver == null || holder == null || receiver == holder || holder.held.isEmpty()) {
      return;
    }
    List<Delivery> mixed = new ArrayList<>();
    receiver.held.forEach(handed -> mixed.add(handed.delivery));
    holder.held.forEach(handed -> mixed.add(handed.delivery));
    long start = System.nanoTime();
    try {
      CompletableFuture<Void> ack = receiver.receiver.ack(mixed);
      throw new NotAllowed(
          AloRule.ALO_11,
          "%s acked what %s holds, and got %s"
              .formatted(receiver.holder.name, holder.holder.name, ack));
    } catch (IllegalArgumentException e) {
      // as it should
    } catch (IllegalStateException | MqException e) {
      requireExcuse("ack", receiver.live, start, e);
    }
  }

  private static List<Handed> pick(List<Handed> from, Pick pick) {
    List<Handed> picked = new ArrayList<>(from);
    Random random = new Random(pick.seed());
    switch (pick.order()) {
      case FORWARD -> {}
      case BACKWARD -> Collections.reverse(picked);
      case SHUFFLED -> Collections.shuffle(picked, random);
    }
    if (pick.percent() < 100) {
      picked.removeIf(handed -> random.nextInt(100) >= pick.percent());
    }
    return picked;
  }

  // --- what is rarer ---

  private void elapse(int percent) throws InterruptedException {
    Duration time = kit.traits().claimPeriod().orElseThrow().multipliedBy(percent).dividedBy(100);
    long start = System.nanoTime();
    kit.elapse(time);
    long really = System.nanoTime() - start;
    // Time that the fixture moved without waiting.
    movedNanos.addAndGet(Math.max(0, time.toNanos() - really));
    Arrays.stream(models).forEach(QueueModel::disturb);
  }

  private void recreate(Step.Recreate step) throws Exception {
    int queue = step.queue();
    if (step.inUse()) {
      // What is under way ends as it may; this is about what becomes of the messages.
      for (SenderSlot slot : senders) {
        if (slot.home.queue() == queue && slot.open != null) {
          requireDone("the next step came", slot.open.sent);
        }
      }
    } else {
      closeUsersOf(queue);
    }
    Mq mq = live(0).mq;
    mq.deleteQueue(names.get(queue));
    mq.createQueue(names.get(queue));
    log("deleted and created queue %d", queue);
    models[queue].faultStrikes(); // for acks that come too late
    closeUsersOf(queue);
    models[queue] = newModel();
  }

  private void closeUsersOf(int queue) throws Exception {
    for (SenderSlot slot : senders) {
      if (slot.home.queue() == queue) {
        close(Kind.SENDER, slot.index);
      }
    }
    for (ReceiverSlot slot : receivers) {
      if (slot.home.queue() == queue) {
        close(Kind.RECEIVER, slot.index);
      }
    }
  }

  private void interruptReceive(Step.InterruptReceive step) throws Exception {
    Random random = new Random(step.seed());
    for (int i = 0; i < step.tries(); i++) {
      OpenReceiver receiver = receiver(step.receiver());
      if (receiver == null) {
        return;
      }
      receiver.model.disturb();
      long calledAt = now();
      Duration timeout = kit.patience().plus(kit.patience());
      BoundedCall<List<Delivery>> call =
          BoundedCall.start("receive", () -> receiver.receiver.receive(10, timeout));
      send(new Step.Send(step.sender(), new Batch(1, 16, 16, false, 0, 0, i), false));
      pause(random.nextInt(200_000));
      call.interrupt();
      if (!call.endsWithinAnother(kit.patience().plus(kit.traits().callBound()))) {
        throw hangs("a receive that was interrupted", call);
      }
      Throwable failure = call.failure();
      if (failure == null) {
        received(receiver, call.value(), 10, calledAt);
        if (call.value().isEmpty()) {
          throw new NotAllowed(
              AloRule.ALO_13, "an interrupted receive returned an empty list before its timeout");
        }
      } else if (!(failure instanceof InterruptedException)) {
        throw new NotAllowed(AloRule.ALO_13, "an interrupted receive threw " + failure);
      }
    }
  }

  private void interruptSend(Step.InterruptSend step) throws Exception {
    OpenSender sender = sender(step.sender());
    QueueModel model = models[senders[step.sender()].home.queue()];
    if (sender == null || model.messages() + step.batch().count() > MOST_MESSAGES) {
      return;
    }
    List<Message> batch = messages(step.sender(), step.batch());
    Sent sent = model.attempt(sender.number, batch);
    long start = System.nanoTime();
    BoundedCall<@Nullable Void> call =
        BoundedCall.start(
            "send",
            () -> {
              sender.sender.send(batch);
              return null;
            });
    pause(new Random(step.seed()).nextInt(1_000_000));
    call.interrupt();
    if (!call.endsWithinAnother(kit.patience().plus(kit.traits().callBound()))) {
      throw hangs("a send that was interrupted", call);
    }
    Throwable failure = call.failure();
    if (failure instanceof InterruptedException) {
      model.failed(sent, Collections.nCopies(batch.size(), Outcome.UNKNOWN), true, failure);
    } else if (failure == null || failure instanceof SendFailedException) {
      settle(model, sent, batch, failure, sender, start);
    } else {
      throw new NotAllowed(AloRule.ALO_13, "an interrupted send threw " + failure);
    }
  }

  private static void pause(int nanos) {
    LockSupport.parkNanos(nanos);
  }

  /** The connections go on being used; senders and receivers that fail are opened anew. */
  private void breakConnections() {
    // The models are told first: some calls fail before the last connection is broken.
    broken = true;
    Arrays.stream(models).forEach(QueueModel::faultStrikes);
    log("broke %d connections", kit.breakConnections());
  }

  // --- the end ---

  /** Closes every client, and judges what a new one receives. */
  private void settle() throws Exception {
    for (CompletableFuture<?> future : open) {
      if (kit.traits().ackMode() == AckMode.SELECTIVE) {
        await(future, "a future of sendAsync or ack never completed");
      }
    }
    for (ConnectionSlot slot : connections) {
      closeConnection(slot);
    }
    for (CompletableFuture<?> future : open) {
      await(future, "every client closed, and a future of sendAsync or ack never completed");
    }
    requireNoFailure();
    Live last = new Live(kit.open());
    for (int i = 0; i < models.length; i++) {
      drain(last, i);
    }
    last.closing = true;
    kit.close(last.mq);
  }

  private void drain(Live live, int queue) throws Exception {
    QueueModel model = models[queue];
    OpenReceiver receiver =
        new OpenReceiver(
            live, live.mq.receiver(names.get(queue)), model, new Holder("the last receiver"));
    receiveMissing(receiver);
    // A marker shows that this receiver still gets messages, and nothing else may come with it.
    Sender sender = live.mq.sender(names.get(queue));
    int marked = model.messages();
    List<Message> last = List.of(new Message(marker(marked)));
    Sent marker = model.attempt(-1, last);
    sender.send(last);
    model.confirmed(marker);
    receiveMissing(receiver);
    long markerNanos = System.nanoTime();
    do {
      receiveAndAck(receiver, lingers);
    } while (!KitFixture.hasPassed(lingers, markerNanos));
  }

  private void receiveMissing(OpenReceiver receiver) throws Exception {
    long progress = System.nanoTime();
    boolean mayBeGone = receiver.model.mayDrop(kit.mostDeliveries());
    Duration patience = mayBeGone ? KitFixture.shorter(PAUSE, kit.patience()) : kit.patience();
    while (receiver.model.missing() > 0) {
      if (receiveAndAck(receiver, kit.oneWait())) {
        progress = System.nanoTime();
      } else if (KitFixture.hasPassed(patience, progress)) {
        if (mayBeGone) {
          return;
        }
        throw receiver.model.lost();
      }
    }
  }

  private static byte[] marker(int number) {
    return ("the marker after " + number + " messages").getBytes(US_ASCII);
  }

  private boolean receiveAndAck(OpenReceiver receiver, Duration timeout) throws Exception {
    receive(receiver, 500, timeout);
    List<Handed> got = receiver.held;
    if (got.isEmpty()) {
      return false;
    }
    receiver.held = new ArrayList<>();
    giveToAck(receiver, got, true);
    requireNoFailure();
    return true;
  }

  private void await(CompletableFuture<?> future, String otherwise) throws Exception {
    Duration bound = kit.patience().plus(kit.traits().callBound());
    try {
      future.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new NotAllowed(AloRule.ALO_18, otherwise + " within " + bound);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a judged future does not fail", e);
    }
  }

  /** Leaves nothing open, however the run ended. */
  private void abandon() {
    for (ConnectionSlot slot : connections) {
      Live live = slot.live;
      slot.live = null;
      if (live != null) {
        live.closing = true;
        kit.close(live.mq);
      }
    }
  }
}
