package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.Sender;
import org.mqproof.Traits;

/**
 * What the kit needs from an adapter, and what its tests share: connections and queues that are
 * closed afterwards, messages with ids, waits with a deadline. One instance per test; tests of one
 * class may run at the same time. One thread at a time, but for {@link #open()}.
 */
@ExtendWith(KitExtension.class)
@SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of every adapter
abstract class KitFixture {

  /** A largest body above this is declared for nobody: the kit does not send it. */
  static final int LARGEST_CHECKED_BYTES = 64 << 20;

  /** How often a check is tried where a slow machine may let claims end before it is done. */
  static final int TRIES = 3;

  /** What a check with very many messages may take of every build. */
  private static final Duration LONGEST_FOR_MANY = Duration.ofSeconds(2);

  private static final Duration SHORTEST_LIMIT = Duration.ofMinutes(2);

  private static final Duration LEAST_HANG = Duration.ofSeconds(5);

  /** How long one call of {@code receive} waits while the kit collects messages. */
  private static final Duration ONE_WAIT = Duration.ofMillis(250);

  /** Which rules that other checks rest on hold; asked once per run of the class. */
  Map<AloRule, Boolean> probes = new ConcurrentHashMap<>();

  /** What the adapter declares; asked once per run of the class. */
  AtomicReference<@Nullable Traits> traits = new AtomicReference<>();

  /** Draws sizes, places and moments; thread-safe. Every failure names its seed. */
  Random random = new Random();

  /** What {@link #random} was made from. */
  long seed;

  /** When the running test began, or last got what it waited for. */
  volatile long progressNanos = System.nanoTime();

  /** The rule that the running test checks, or null if it checks the rest of the contract. */
  @Nullable AloRule rule;

  private final List<Mq> connections = new ArrayList<>();
  private final Set<String> queues = ConcurrentHashMap.newKeySet();
  private final AtomicLong skippedNanos = new AtomicLong();
  private @Nullable DeadEndpoints endpoints;

  // --- what an adapter says ---

  /**
   * Connects to the system under test.
   *
   * @return a new connection at each call
   */
  protected abstract Mq connect();

  /**
   * Connects to {@link #deadEndpoint()}, which refuses connections.
   *
   * @return a connection, if the adapter connects only when it has to
   * @throws MqException if it connects at once
   */
  protected abstract Mq connectToDead();

  /**
   * Connects to {@link #hungEndpoint()}, which accepts connections and never answers.
   *
   * @return a connection, if the adapter connects only when it has to
   * @throws MqException if it connects at once
   */
  protected abstract Mq connectToHung();

  /**
   * An endpoint that refuses connections; errors must contain this text.
   *
   * @return by default a reserved loopback port, as {@code host:port}
   */
  protected String deadEndpoint() {
    return endpoints().refusing();
  }

  /**
   * An endpoint that accepts connections and never answers; errors must contain this text.
   *
   * @return by default a reserved loopback port, as {@code host:port}
   */
  protected String hungEndpoint() {
    return endpoints().silent();
  }

  /**
   * Lets time pass for claims.
   *
   * @param time how long
   * @throws InterruptedException if interrupted
   */
  protected void elapse(Duration time) throws InterruptedException {
    boolean ended = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    assert !ended;
  }

  /**
   * Longest wait for what must happen. Generous: it is spent only where a rule is broken.
   *
   * @return 30 s by default
   */
  protected Duration patience() {
    return Duration.ofSeconds(30);
  }

  /**
   * How long the kit looks for what must not happen, after a marker message has shown that it would
   * see it.
   *
   * @return 1 s by default: several round trips to a broker and back
   */
  protected Duration window() {
    return Duration.ofSeconds(1);
  }

  /**
   * Rules that cannot be checked for this adapter. They are shown as skipped, with the reason.
   *
   * @return the reason by rule; none by default
   */
  protected Map<AloRule, String> notCheckable() {
    return Map.of();
  }

  /**
   * Queues of the system under test, each configured against the promise by one setting, for
   * ALO-26. No other test of the class runs while there is such a queue.
   *
   * @return by "SETTING=VALUE", in the words that a refusal has; none by default
   */
  protected Map<String, BrokenQueue> brokenQueues() {
    return Map.of();
  }

  /**
   * After how many deliveries without an ack the system drops a message, as its documentation says.
   * At least once ends there, and the kit asks for no more.
   *
   * @return by default {@link Integer#MAX_VALUE}: it never does
   */
  protected int mostDeliveries() {
    return Integer.MAX_VALUE;
  }

  /**
   * Ends every connection of this JVM to the system under test as a network does that fails; new
   * ones can be made at once. No other test runs meanwhile.
   *
   * @return how many it ended; 0 by default, and where it cannot
   */
  protected int breakConnections() {
    return 0;
  }

  // --- what the tests use ---

  /** A test that tries many times stops after so long, however slow the system is. */
  Duration enough() {
    return shorter(Duration.ofSeconds(3), patience().dividedBy(3));
  }

  /**
   * A hang is a failure, also where calls are slow and the patience with each is short: no end, and
   * for so long nothing that was waited for.
   */
  Duration testLimit() {
    Duration waits = patience().multipliedBy(5);
    return (waits.compareTo(SHORTEST_LIMIT) > 0 ? waits : SHORTEST_LIMIT)
        .plus(traits().callBound().multipliedBy(4));
  }

  /** How long from now on until the test hangs, if nothing happens; not positive if it does. */
  Duration untilHang() {
    return testLimit().minusNanos(System.nanoTime() - progressNanos);
  }

  /** How much longer than a declared bound a call may take: scheduling and thread start. */
  Duration slack() {
    return Duration.ofSeconds(3);
  }

  /** Longest wait for a call that has nothing to wait for, also on a busy machine. */
  Duration hangBound() {
    return patience().compareTo(LEAST_HANG) > 0 ? patience() : LEAST_HANG;
  }

  Traits traits() {
    Traits known = traits.get();
    if (known == null) {
      Mq mq = connect();
      known = mq.traits();
      mq.close();
      traits.set(known);
    }
    return known;
  }

  Mq open() {
    return track(connect());
  }

  <M extends Mq> M track(M mq) {
    synchronized (connections) {
      connections.add(mq);
    }
    return mq;
  }

  /** Closes a connection which the kit then does not close again. */
  void close(Mq mq) {
    synchronized (connections) {
      connections.remove(mq);
    }
    mq.close();
  }

  String newQueue(Mq mq) {
    return newQueue(mq, newName());
  }

  String newName() {
    return (rule == null ? "contract" : rule.id().toLowerCase(Locale.ROOT))
        + "-"
        + UUID.randomUUID().toString().substring(0, 8);
  }

  /** Creates a queue of this name, and deletes it when the test has ended. */
  String newQueue(Mq mq, String queue) {
    deleteAtTheEnd(queue);
    mq.createQueue(queue);
    return queue;
  }

  /** Deletes a queue when the test has ended. */
  void deleteAtTheEnd(String queue) {
    queues.add(queue);
  }

  synchronized DeadEndpoints endpoints() {
    if (endpoints == null) {
      endpoints = new DeadEndpoints();
    }
    return endpoints;
  }

  void closeAll() {
    if (!queues.isEmpty()) {
      Mq mq = connections.isEmpty() ? open() : connections.get(connections.size() - 1);
      queues.forEach(mq::deleteQueue);
      queues.clear();
    }
    while (!connections.isEmpty()) {
      close(connections.get(0));
    }
    if (endpoints != null) {
      endpoints.close();
    }
  }

  Breach breach(String saw, @Nullable Object... args) {
    return breach((Throwable) null, saw, args);
  }

  Breach breach(@Nullable Throwable cause, String saw, @Nullable Object... args) {
    return new Breach(
        rule,
        saw.formatted(args),
        "queues %s, seed %d (again with -D%s=%d), %s"
            .formatted(queues, seed, KitExtension.SEED_PROPERTY, seed, traits()),
        cause);
  }

  /** Ends the test without a judgement, because another rule does not hold. */
  static void inconclusive(String reason, @Nullable Object... args) {
    Assumptions.abort("cannot be judged: " + reason.formatted(args));
  }

  /** As many as asked for, or as one receiver can hold. */
  int few(int count) {
    return Math.min(count, traits().mostInFlight());
  }

  /**
   * How many messages one call sends in a third of its bound, if each takes as long as those of a
   * batch that was sent just now. A larger batch would tell how busy the machine is.
   */
  int mostInOneCall(int sent, long sinceNanos) {
    long nanosEach = Math.max(1, (System.nanoTime() - sinceNanos) / sent);
    return (int) Math.min(Integer.MAX_VALUE, traits().callBound().toNanos() / 3 / nanosEach + 1);
  }

  /** More than 16 bits can count, with a sign or without. */
  int drawAbove16Bits() {
    return draw((1 << 16) + 1, 70_000);
  }

  /** Some messages by what a check does with very many. */
  interface Some {
    void through(List<Message> messages) throws Exception;
  }

  /** Ends the test if so many messages would take long, each as long as one of some. */
  void requireFast(int count, Some some) throws Exception {
    for (int i = 0; i < TRIES; i++) { // the first calls in a JVM are slow
      List<Message> few = messages("few" + i + "-", 1_000);
      long start = System.nanoTime();
      some.through(few);
      if ((System.nanoTime() - start) / few.size() * count <= LONGEST_FOR_MANY.toNanos()) {
        return;
      }
    }
    inconclusive("%d messages would take too long", count);
  }

  /** A number between the two, both included. */
  int draw(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** A third to two thirds of these, in random order. */
  <T> List<T> drawSome(Collection<T> all) {
    List<T> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, random);
    return shuffled.subList(0, Math.max(1, draw(all.size() / 3, all.size() * 2 / 3)));
  }

  // --- time, as claims see it ---

  /** Nanoseconds, those included that {@link #elapse} skips. */
  long now() {
    return System.nanoTime() + skippedNanos.get();
  }

  /**
   * Lets time pass for claims, and for {@link #now()}.
   *
   * @return whether it was skipped, and not waited for
   */
  boolean pass(Duration time) throws InterruptedException {
    if (time.isNegative()) {
      return false;
    }
    long start = System.nanoTime();
    elapse(time);
    long took = System.nanoTime() - start;
    boolean skipped = took < time.toNanos() / 2;
    // A clock that is moved goes on meanwhile.
    skippedNanos.addAndGet(skipped ? time.toNanos() : Math.max(0, time.toNanos() - took));
    return skipped;
  }

  /** Lets time pass until so long after a moment of {@link #now()}. */
  void passUntil(long since, Duration age) throws InterruptedException {
    pass(age.minusNanos(now() - since));
  }

  /**
   * Whether a claim that was made after this moment of {@link #now()} may have reached this part of
   * its period: then what is seen from now on says nothing about the claim.
   */
  boolean claimsMayBeAt(double part, long since) {
    return traits().claimPeriod().isPresent()
        && now() - since >= traits().claimPeriod().orElseThrow().toNanos() * part;
  }

  /** Whether a claim that was made after this moment may have ended. A tenth is for clocks. */
  boolean claimsMayHaveEnded(long since) {
    return claimsMayBeAt(0.9, since);
  }

  /**
   * The same to within what clocks of one machine, and the units of periods, may differ: for what a
   * receiver got, which cannot have come later than it was seen.
   */
  boolean claimsHaveNearlyEnded(long since) {
    if (traits().claimPeriod().isEmpty()) {
      return false;
    }
    Duration period = traits().claimPeriod().orElseThrow();
    Duration least = Duration.ofMillis(10);
    Duration clocks = period.multipliedBy(3).dividedBy(100);
    return now() - since >= period.minus(clocks.compareTo(least) < 0 ? least : clocks).toNanos();
  }

  static Message message(String id) {
    return new Message(id.getBytes(UTF_8));
  }

  static List<Message> messages(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> message(prefix + i)).toList();
  }

  static String id(Message message) {
    return new String(message.body(), UTF_8);
  }

  static String id(Delivery delivery) {
    return id(delivery.message());
  }

  static List<String> ids(Collection<? extends Delivery> deliveries) {
    return deliveries.stream().map(KitFixture::id).toList();
  }

  static List<String> idsOf(Collection<Message> messages) {
    return messages.stream().map(KitFixture::id).toList();
  }

  /** A few of many, for an error's text. */
  static String some(Collection<?> ids) {
    return ids.size() <= 12
        ? ids.toString()
        : ids.stream().limit(10).toList() + " and " + (ids.size() - 10) + " more";
  }

  /** Only ALO-12 is hard on null; elsewhere it means nothing. */
  static List<Delivery> receive(Receiver receiver, int max, Duration timeout)
      throws InterruptedException {
    return Objects.requireNonNullElse(receiver.receive(max, timeout), List.of());
  }

  Duration oneWait() {
    return shorter(ONE_WAIT, window());
  }

  static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /**
   * Receives until there are so many messages, or nothing has come for the whole patience.
   *
   * @return the deliveries in order, by id; a redelivery replaces the delivery before
   */
  Map<String, Delivery> collect(Receiver receiver, int count) throws InterruptedException {
    Map<String, Delivery> collected = new LinkedHashMap<>();
    Waiting waiting = new Waiting(patience());
    while (collected.size() < count && !waiting.isOver()) {
      int before = collected.size();
      for (Delivery delivery : receive(receiver, count - collected.size(), oneWait())) {
        collected.put(id(delivery), delivery);
      }
      waiting.progress(collected.size() > before);
    }
    return collected;
  }

  /**
   * Receives up to so many messages, and no more once the system gives no more: it may stop below
   * {@link Traits#mostInFlight()}. For messages that may have equal bodies.
   */
  List<Delivery> hold(Receiver receiver, int count) throws InterruptedException {
    List<Delivery> held = new ArrayList<>();
    Waiting waiting = new Waiting(patience());
    while (held.size() < count && !waiting.isOver()) {
      List<Delivery> more = receive(receiver, count - held.size(), oneWait());
      if (held.isEmpty() && !more.isEmpty()) {
        waiting = new Waiting(oneWait().multipliedBy(4));
      }
      waiting.progress(held.addAll(more));
    }
    return held;
  }

  /** The same, and no more once this part of the claims' period, or of the patience, is over. */
  List<Delivery> holdWithin(double part, Receiver receiver, int count) throws InterruptedException {
    long start = now();
    long end = (long) (patience().toNanos() * part);
    List<Delivery> held = new ArrayList<>();
    Waiting waiting = new Waiting(patience());
    while (held.size() < count
        && !waiting.isOver()
        && !claimsMayBeAt(part, start)
        && now() - start < end) {
      List<Delivery> more = receive(receiver, count - held.size(), oneWait());
      if (held.isEmpty() && !more.isEmpty()) {
        waiting = new Waiting(oneWait().multipliedBy(4));
      }
      waiting.progress(held.addAll(more));
    }
    return held;
  }

  /**
   * Which of these messages do not come, held unacked, before none of them has come for the whole
   * patience. Others may come too: that is for other rules.
   */
  Set<String> missingFrom(Receiver receiver, Collection<String> wanted)
      throws InterruptedException {
    return missingFrom(receiver, wanted, () -> false);
  }

  /** The same, until it is too late for an answer. */
  Set<String> missingFrom(Receiver receiver, Collection<String> wanted, BooleanSupplier tooLate)
      throws InterruptedException {
    Set<String> missing = new LinkedHashSet<>(wanted);
    Waiting waiting = new Waiting(patience());
    while (!missing.isEmpty() && !waiting.isOver() && !tooLate.getAsBoolean()) {
      List<Delivery> got = receive(receiver, missing.size(), oneWait());
      waiting.progress(missing.removeAll(Set.copyOf(ids(got))));
    }
    return missing;
  }

  /** Receives and acks until each of these ids was seen, or none came for the whole patience. */
  List<String> drain(Receiver receiver, Collection<String> expected) throws Exception {
    List<String> seen = new ArrayList<>();
    Set<String> missing = new HashSet<>(expected);
    Waiting waiting = new Waiting(patience());
    while (!missing.isEmpty() && !waiting.isOver()) {
      List<Delivery> batch = receive(receiver, 500, oneWait());
      seen.addAll(ids(batch));
      waiting.progress(missing.removeAll(Set.copyOf(ids(batch))));
      ackIfPossible(receiver, batch);
    }
    return seen;
  }

  /** Receives and acks as many messages, of whatever bodies, unless none comes for the patience. */
  List<byte[]> drainBodies(Receiver receiver, int count) throws Exception {
    List<byte[]> bodies = new ArrayList<>();
    Waiting waiting = new Waiting(patience());
    while (bodies.size() < count && !waiting.isOver()) {
      List<Delivery> batch = receive(receiver, count - bodies.size(), oneWait());
      batch.forEach(delivery -> bodies.add(delivery.message().body().clone()));
      waiting.progress(!batch.isEmpty());
      ackIfPossible(receiver, batch);
    }
    return bodies;
  }

  /**
   * Acks, to get at the next messages. A failure is not what the running test is about: ALO-09 acks
   * the same way, and is strict.
   */
  boolean ackIfPossible(Receiver receiver, Collection<Delivery> deliveries)
      throws InterruptedException {
    return settles(receiver.ack(deliveries));
  }

  /** Whether an ack completes. */
  boolean settles(CompletableFuture<Void> ack) throws InterruptedException {
    try {
      ack.get(patience().toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | CancellationException | TimeoutException e) {
      return false; // a message that is not settled may come again, which every caller accepts
    }
  }

  /**
   * What this receiver gets besides a marker that is sent now: proves absence, because the marker
   * shows that the receiver does get messages. Everything is acked.
   */
  List<String> besidesMarker(Receiver receiver, Sender sender, String marker) throws Exception {
    sender.send(List.of(message(marker)));
    List<String> seen = drain(receiver, List.of(marker));
    if (!seen.contains(marker)) {
      throw breach("marker %s never arrived, only %s", marker, some(seen));
    }
    long start = System.nanoTime();
    while (!hasPassed(window(), start)) {
      List<Delivery> more = receive(receiver, 500, oneWait());
      seen.addAll(ids(more));
      if (!more.isEmpty()) {
        ackIfPossible(receiver, more);
      }
    }
    seen.removeIf(marker::equals);
    return seen;
  }

  /** Gives receivers the chance to attach to their queue before there is anything to receive. */
  void warmUp(Receiver... receivers) throws InterruptedException {
    for (int round = 0; round < 2; round++) {
      for (Receiver receiver : receivers) {
        List<Delivery> early = receive(receiver, 1, oneWait());
        if (!early.isEmpty()) {
          throw new IllegalStateException("an empty queue delivered " + ids(early));
        }
      }
    }
  }

  void ackAndWait(Receiver receiver, Collection<Delivery> deliveries) throws InterruptedException {
    CompletableFuture<Void> ack = receiver.ack(deliveries);
    try {
      ack.get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw breach(e.getCause(), "the ack of %s failed: %s", some(ids(deliveries)), e.getCause());
    } catch (TimeoutException e) {
      throw breach("the ack of %s did not complete in %s", some(ids(deliveries)), patience());
    }
  }

  /** Waits for threads of the test to get going. */
  void requireInTime(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(testLimit().toNanos(), TimeUnit.NANOSECONDS)) {
      throw breach("a thread of this test did not get as far as it must within %s", testLimit());
    }
  }

  /** Sends batch by batch, for tests that are not about large batches. */
  static void sendAll(Sender sender, List<Message> messages) throws InterruptedException {
    for (int from = 0; from < messages.size(); from += 200) {
      sender.send(messages.subList(from, Math.min(messages.size(), from + 200)));
    }
  }

  /**
   * Bounds a wait by progress. It is over when nothing has arrived for so long, and in several
   * polls: on a busy machine a single poll may take that long.
   */
  final class Waiting {

    private static final int LEAST_POLLS = 5;

    private final Duration longest;
    private long sinceNanos = System.nanoTime();
    private int polls;

    Waiting(Duration longest) {
      this.longest = longest;
    }

    /** Call after each poll. */
    void progress(boolean found) {
      polls++;
      if (found) {
        polls = 0;
        sinceNanos = System.nanoTime();
        progressNanos = sinceNanos;
      }
    }

    boolean isOver() {
      return polls >= LEAST_POLLS && hasPassed(longest, sinceNanos);
    }
  }

  static boolean hasPassed(Duration time, long startNanos) {
    return System.nanoTime() - startNanos >= time.toNanos();
  }

  /** A copy by way of its bytes, as it crosses to another process. */
  Throwable requireSerialized(Throwable failure) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(failure);
      }
      try (ObjectInputStream in =
          new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
        return (Throwable) in.readObject();
      }
    } catch (IOException | ClassNotFoundException e) {
      throw breach(e, "%s cannot be serialized: %s", failure, e);
    }
  }

  /** Whether {@link Receiver#release} is declared, and more than the contract's default. */
  boolean canRelease(Receiver receiver) {
    return traits().release() != Release.NONE && has(receiver, "release");
  }

  /** Whether {@link Receiver#extend} is declared, and more than the contract's default. */
  boolean canExtend(Receiver receiver) {
    return traits().extendable() && has(receiver, "extend");
  }

  /** Whether it has neither of the methods that the contract got after 0.1.0, as a wrapper may. */
  static boolean isOfAnEarlierContract(Receiver receiver) {
    return !has(receiver, "release") && !has(receiver, "extend");
  }

  private static boolean has(Receiver receiver, String method) {
    try {
      Class<?> declaring =
          receiver.getClass().getMethod(method, Collection.class).getDeclaringClass();
      return declaring != Receiver.class;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every receiver has " + method, e);
    }
  }

  /** Whether another rule holds in its plainest case. */
  boolean holds(AloRule other, Callable<Boolean> probe) throws Exception {
    Boolean holds = probes.get(other);
    if (holds == null) {
      holds = probe.call();
      probes.put(other, holds);
    }
    return holds;
  }

  /** For rules that show what was not settled by closing the receiver. */
  void requireThatCloseGivesBack() throws Exception {
    if (!holds(AloRule.ALO_06, this::closeGivesBack)) {
      inconclusive("this check rests on ALO-06, which does not hold");
    }
  }

  private boolean closeGivesBack() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    mq.sender(queue).send(messages("probe", 2));
    long start = now();
    Receiver first = mq.receiver(queue);
    if (collect(first, few(2)).size() < few(2)) {
      return false;
    }
    first.close();
    return collect(mq.receiver(queue), few(2)).size() == few(2) && !claimsMayHaveEnded(start);
  }

  /** For rules that tell what was settled from what was not. */
  void requireThatAcksSettle() throws Exception {
    if (!holds(AloRule.ALO_09, this::acksSettle)) {
      inconclusive("this check rests on ALO-09, which does not hold");
    }
  }

  /** So many that a queue which forgets one ack in ten is seen. */
  private boolean acksSettle() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("probe", 100));
    Receiver first = mq.receiver(queue);
    Set<String> acked = new HashSet<>();
    long start = System.nanoTime();
    while (acked.size() < 100 && !hasPassed(patience(), start)) {
      List<Delivery> got = receive(first, 100, oneWait());
      try {
        first.ack(got).get(patience().toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        return false; // ALO-09's own tests tell the details
      }
      for (String id : ids(got)) {
        if (!acked.add(id)) {
          return false;
        }
      }
    }
    first.close();
    return besidesMarker(mq.receiver(queue), sender, "marker").isEmpty();
  }
}
