package org.mqproof.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.Traits;

/**
 * What the kit needs from an adapter, and what its tests share: connections and queues that are
 * closed afterwards, messages with ids, waits with a deadline. One thread at a time, but for {@link
 * #open()}.
 */
@ExtendWith(KitExtension.class)
@SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency of every adapter
abstract class KitFixture {

  /** A largest body above this is declared for nobody: the kit does not send it. */
  static final int LARGEST_CHECKED_BYTES = 64 << 20;

  /** How long one call of {@code receive} waits while the kit collects messages. */
  private static final Duration ONE_WAIT = Duration.ofMillis(250);

  /** Which rules that other checks rest on hold; asked once per run of the class. */
  Map<AloRule, Boolean> probes = new ConcurrentHashMap<>();

  /** The rule that the running test checks, or null if it checks the rest of the contract. */
  @Nullable AloRule rule;

  private final List<Mq> connections = new ArrayList<>();
  private final List<String> queues = new ArrayList<>();
  private @Nullable DeadEndpoints endpoints;
  private @Nullable Traits traits;

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

  // --- what the tests use ---

  Duration testLimit() {
    return patience().multipliedBy(5).plus(traits().callBound().multipliedBy(4));
  }

  /** How much longer than a declared bound a call may take: scheduling and thread start. */
  Duration slack() {
    return Duration.ofSeconds(1);
  }

  synchronized Traits traits() {
    if (traits == null) {
      Mq mq = connect();
      traits = mq.traits();
      mq.close();
    }
    return traits;
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
    String queue =
        (rule == null ? "contract" : rule.id().toLowerCase(Locale.ROOT))
            + "-"
            + UUID.randomUUID().toString().substring(0, 8);
    mq.createQueue(queue);
    queues.add(queue);
    return queue;
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
    return new Breach(rule, saw.formatted(args), "queues " + queues + ", " + traits(), cause);
  }

  /** Ends the test without a judgement, because another rule does not hold. */
  static void inconclusive(String reason, @Nullable Object... args) {
    Assumptions.abort("cannot be judged: " + reason.formatted(args));
  }

  /** As many as asked for, or as one receiver can hold. */
  int few(int count) {
    return Math.min(count, traits().mostInFlight());
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
   * Receives until there are so many messages, or the patience is over.
   *
   * @return the deliveries in order, by id; a redelivery replaces the delivery before
   */
  Map<String, Delivery> collect(Receiver receiver, int count) throws InterruptedException {
    Map<String, Delivery> collected = new LinkedHashMap<>();
    long start = System.nanoTime();
    while (collected.size() < count && !hasPassed(patience(), start)) {
      for (Delivery delivery : receive(receiver, count - collected.size(), oneWait())) {
        collected.put(id(delivery), delivery);
      }
    }
    return collected;
  }

  /**
   * Which of these messages do not come, held unacked, within the patience. Others may come too:
   * that is for other rules.
   */
  Set<String> missingFrom(Receiver receiver, Collection<String> wanted)
      throws InterruptedException {
    Set<String> missing = new LinkedHashSet<>(wanted);
    long start = System.nanoTime();
    while (!missing.isEmpty() && !hasPassed(patience(), start)) {
      ids(receive(receiver, missing.size(), oneWait())).forEach(missing::remove);
    }
    return missing;
  }

  /** Receives and acks until each of these ids was seen, or none came for the whole patience. */
  List<String> drain(Receiver receiver, Collection<String> expected) throws Exception {
    List<String> seen = new ArrayList<>();
    Set<String> missing = new HashSet<>(expected);
    long progress = System.nanoTime();
    while (!missing.isEmpty() && !hasPassed(patience(), progress)) {
      List<Delivery> batch = receive(receiver, 500, oneWait());
      if (!batch.isEmpty()) {
        seen.addAll(ids(batch));
        ids(batch).forEach(missing::remove);
        receiver.ack(batch).get(patience().toMillis(), TimeUnit.MILLISECONDS);
        progress = System.nanoTime();
      }
    }
    return seen;
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
        receiver.ack(more).get(patience().toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    seen.remove(marker);
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

  static boolean hasPassed(Duration time, long startNanos) {
    return System.nanoTime() - startNanos >= time.toNanos();
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
    Receiver first = mq.receiver(queue);
    if (collect(first, few(2)).size() < few(2)) {
      return false;
    }
    first.close();
    return collect(mq.receiver(queue), few(2)).size() == few(2);
  }

  /** For rules that tell what was settled from what was not. */
  void requireThatAcksSettle() throws Exception {
    if (!holds(AloRule.ALO_09, this::acksSettle)) {
      inconclusive("this check rests on ALO-09, which does not hold");
    }
  }

  private boolean acksSettle() throws Exception {
    Mq mq = open();
    String queue = newQueue(mq);
    Sender sender = mq.sender(queue);
    sender.send(messages("probe", few(5)));
    Receiver first = mq.receiver(queue);
    Map<String, Delivery> got = collect(first, few(5));
    try {
      first.ack(got.values()).get(patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false; // ALO-09's own tests tell the details
    }
    first.close();
    return besidesMarker(mq.receiver(queue), sender, "marker").isEmpty();
  }
}
