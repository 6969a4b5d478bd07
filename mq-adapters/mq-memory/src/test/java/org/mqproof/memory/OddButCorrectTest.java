package org.mqproof.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Ordering;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.Release;
import org.mqproof.Sender;
import org.mqproof.Traits;

/** Queues that are unusual and correct: the kit blames none of them. */
@Tag("full") // the whole kit twelve times: some 180 s
class OddButCorrectTest {

  private static final Pattern RULE = Pattern.compile("ALO-\\d\\d");

  /** What is unusual. */
  @SuppressWarnings("ImmutableEnumChecker") // Set.of
  enum Oddity {
    CLAIMS_OF_200_MILLIS,
    CLAIMS_OF_ONE_SECOND,
    /** Thousands take longer than claims of one second last; then the release fails. */
    SLOW_RELEASES,
    BODIES_OF_64_BYTES,
    SLOW_CALLS_AND_LITTLE_PATIENCE,
    ONE_DELIVERY_PER_RECEIVE,
    NO_ORDER,
    ONE_IN_FLIGHT,
    /** A wrapper that was written for the contract of 0.1.0: it forwards no newer method. */
    METHODS_OF_0_1_0,
    /** No headers, no release, no extend, and it says so. */
    NOTHING_OPTIONAL,
    /** A release gives to the same receiver; claims never end. */
    RELEASE_TO_THE_SAME_RECEIVER,
    /** Breaks what it breaks; no other rule is blamed for it. */
    ONE_IN_TEN_AGAIN("ALO-09", "ALO-17");

    final Set<String> mayBreak;

    Oddity(String... mayBreak) {
      this.mayBreak = Set.of(mayBreak);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theKitBlamesNobody(Oddity oddity) {
    OddConformance.oddity = oddity;
    EngineExecutionResults results =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(OddConformance.class))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            // Slow calls wait; the others compute.
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.fixed.parallelism",
                oddity == Oddity.SLOW_CALLS_AND_LITTLE_PATIENCE ? "48" : "2")
            .execute();
    Set<String> broken = new TreeSet<>();
    List<String> texts = new ArrayList<>();
    for (Event event : results.testEvents().failed().list()) {
      Matcher rule = RULE.matcher(event.getTestDescriptor().getDisplayName());
      String id = rule.find() ? rule.group() : "the contract";
      if (!oddity.mayBreak.contains(id)) {
        broken.add(id);
        texts.add(event.getTestDescriptor().getDisplayName() + ": " + textOf(event));
      }
    }
    assertThat(broken).as("%s", texts).isEmpty();
    long tried = results.testEvents().succeeded().count();
    assertThat(tried).as("tests that could be tried").isGreaterThan(30);
  }

  private static String textOf(Event event) {
    return String.valueOf(
        event
            .getRequiredPayload(TestExecutionResult.class)
            .getThrowable()
            .map(Throwable::getMessage)
            .orElse("no text"));
  }

  /** The kit on an odd queue. Its name keeps it out of the build's own tests. */
  static class OddConformance extends MemoryConformance {

    private static @Nullable Oddity oddity;

    private final Oddity odd = Objects.requireNonNull(oddity);

    OddConformance() {
      super(broker(Objects.requireNonNull(oddity)), Duration.ofMillis(200));
    }

    private static MemoryBroker broker(Oddity odd) {
      return MemoryBroker.builder()
          .name("odd")
          .callBound(Duration.ofSeconds(2))
          .claimPeriod(
              switch (odd) {
                case CLAIMS_OF_200_MILLIS -> Duration.ofMillis(200);
                case CLAIMS_OF_ONE_SECOND, SLOW_RELEASES -> Duration.ofSeconds(1);
                default -> Duration.ofMinutes(10);
              })
          .largestBodyBytes(odd == Oddity.BODIES_OF_64_BYTES ? 64 : 1 << 20)
          .mostInFlight(odd == Oddity.ONE_IN_FLIGHT ? 1 : Integer.MAX_VALUE)
          .mostHeaders(odd == Oddity.NOTHING_OPTIONAL ? 0 : 100)
          .largestHeadersBytes(odd == Oddity.NOTHING_OPTIONAL ? 0 : 1 << 16)
          .build();
    }

    @Override
    protected Mq connect() {
      return new OddMq(super.connect(), odd);
    }

    @Override
    protected Duration patience() {
      return odd == Oddity.SLOW_CALLS_AND_LITTLE_PATIENCE
          ? Duration.ofSeconds(2)
          : Duration.ofSeconds(10);
    }

    @Override
    protected Duration window() {
      return Duration.ofMillis(20);
    }
  }

  /** As thread-safe as what it wraps. */
  private record OddMq(Mq inner, Oddity oddity) implements Mq {

    private static final long SLOW_NANOS = 200_000_000;

    private void call() {
      if (oddity == Oddity.SLOW_CALLS_AND_LITTLE_PATIENCE) {
        long start = System.nanoTime();
        for (long left = SLOW_NANOS; left > 0 && !Thread.currentThread().isInterrupted(); ) {
          LockSupport.parkNanos(left);
          left = SLOW_NANOS - (System.nanoTime() - start);
        }
      }
    }

    @Override
    public void createQueue(String queue) {
      call();
      inner.createQueue(queue);
    }

    @Override
    public void deleteQueue(String queue) {
      call();
      inner.deleteQueue(queue);
    }

    @Override
    public Sender sender(String queue) {
      call();
      return new OddSender(inner.sender(queue));
    }

    @Override
    public Receiver receiver(String queue) {
      call();
      OddReceiver odd = new OddReceiver(queue, inner.receiver(queue));
      return switch (oddity) {
        case METHODS_OF_0_1_0, NOTHING_OPTIONAL -> odd;
        case RELEASE_TO_THE_SAME_RECEIVER -> new SameReceiver(odd);
        default -> new WholeReceiver(odd);
      };
    }

    @Override
    public Traits traits() {
      Traits declared = inner.traits();
      Traits.Builder odd =
          Traits.mode(oddity.name())
              .redeliveryBound(declared.redeliveryBound())
              .largestBodyBytes(declared.largestBodyBytes())
              .mostHeaders(declared.mostHeaders())
              .largestHeadersBytes(declared.largestHeadersBytes())
              .callBound(declared.callBound());
      return switch (oddity) {
        case NO_ORDER ->
            odd.claimPeriod(declared.claimPeriod().orElseThrow())
                .release(Release.ANY_RECEIVER)
                .extendable(true)
                .ordering(Ordering.NONE)
                .build();
        case NOTHING_OPTIONAL ->
            odd.claimPeriod(declared.claimPeriod().orElseThrow())
                .ordering(Ordering.PER_SENDER)
                .build();
        case RELEASE_TO_THE_SAME_RECEIVER ->
            odd.release(Release.SAME_RECEIVER).ordering(Ordering.PER_SENDER).build();
        default -> declared;
      };
    }

    @Override
    public void close() {
      inner.close();
    }

    private final class OddSender implements Sender {

      private final Sender inner;

      OddSender(Sender inner) {
        this.inner = inner;
      }

      @Override
      public void send(List<Message> batch) throws InterruptedException {
        call();
        inner.send(batch);
      }

      @Override
      public CompletableFuture<Void> sendAsync(List<Message> batch) {
        call();
        return inner.sendAsync(batch);
      }

      @Override
      public void close() {
        call();
        inner.close();
      }
    }

    /** Forwards what came to the contract after 0.1.0 too. */
    private static class WholeReceiver implements Receiver {

      final OddReceiver odd;

      WholeReceiver(OddReceiver odd) {
        this.odd = odd;
      }

      @Override
      public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
        return odd.receive(max, timeout);
      }

      @Override
      public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
        return odd.ack(deliveries);
      }

      @Override
      public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
        return odd.isSlowToRelease()
            ? odd.releaseSlowly(deliveries)
            : odd.inner.release(deliveries);
      }

      @Override
      public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
        return odd.inner.extend(deliveries);
      }

      @Override
      public void close() {
        odd.close();
      }
    }

    /** Keeps the claim of what is released, and hands it out again. For one thread at a time. */
    private static final class SameReceiver extends WholeReceiver {

      private final Map<Delivery, Delivery> inside = new ConcurrentHashMap<>();
      private final Set<Delivery> released = ConcurrentHashMap.newKeySet();
      private final Set<Delivery> acked = ConcurrentHashMap.newKeySet();
      private final Queue<Delivery> again = new ConcurrentLinkedQueue<>();

      SameReceiver(OddReceiver odd) {
        super(odd);
      }

      @Override
      public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
        List<Delivery> batch = new ArrayList<>();
        boolean usual = again.isEmpty() || max < 1 || timeout.isNegative();
        for (Delivery delivery : super.receive(max, usual ? timeout : Duration.ZERO)) {
          again.add(delivery); // behind what was released, unless that is all
        }
        while (batch.size() < max && !again.isEmpty()) {
          batch.add(handedOut(Objects.requireNonNull(again.poll())));
        }
        return batch;
      }

      private Delivery handedOut(Delivery delivery) {
        Message message = delivery.message();
        Message own = new Message(message.body().clone(), message.headers());
        Delivery handedOut = () -> own;
        inside.put(handedOut, delivery);
        return handedOut;
      }

      private List<Delivery> inside(Collection<? extends Delivery> deliveries) {
        List<Delivery> unwrapped = new ArrayList<>();
        deliveries.forEach(delivery -> unwrapped.add(inside.getOrDefault(delivery, delivery)));
        return unwrapped;
      }

      @Override
      public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
        if (deliveries.stream().noneMatch(released::contains)) {
          acked.addAll(deliveries);
          return super.ack(inside(deliveries));
        }
        List<Delivery> open = new ArrayList<>(deliveries);
        open.removeAll(released);
        acked.addAll(open);
        super.ack(inside(open)).join(); // claims of this broker do not end here
        List<Outcome> outcomes = new ArrayList<>();
        deliveries.forEach(
            one -> outcomes.add(released.contains(one) ? Outcome.REJECTED : Outcome.CONFIRMED));
        return CompletableFuture.failedFuture(
            new AckFailedException("some were released", outcomes, null));
      }

      @Override
      public CompletableFuture<Void> release(Collection<? extends Delivery> deliveries) {
        CompletableFuture<Void> checked = odd.inner.extend(inside(deliveries));
        for (Delivery delivery : deliveries) {
          if (!acked.contains(delivery) && released.add(delivery)) {
            again.add(Objects.requireNonNull(inside.get(delivery)));
          }
        }
        return checked;
      }

      @Override
      public CompletableFuture<Void> extend(Collection<? extends Delivery> deliveries) {
        return super.extend(inside(deliveries));
      }
    }

    private final class OddReceiver implements Receiver {

      private final String queue;
      private final Receiver inner;

      /** As they were received: whoever receives may write into a body. */
      private final Map<Delivery, byte[]> bodies = new ConcurrentHashMap<>();

      /** The earliest end of any claim; only where releases are slow. */
      private final Map<Delivery, Long> ends = new ConcurrentHashMap<>();

      OddReceiver(String queue, Receiver inner) {
        this.queue = queue;
        this.inner = inner;
      }

      @Override
      public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
        call();
        if (oddity == Oddity.NO_ORDER && max > 0 && !timeout.isNegative()) {
          return anyOf(max, timeout);
        }
        long claimed = System.nanoTime();
        List<Delivery> got =
            inner.receive(
                oddity == Oddity.ONE_DELIVERY_PER_RECEIVE ? Math.min(1, max) : max, timeout);
        if (oddity == Oddity.ONE_IN_TEN_AGAIN) {
          got.forEach(delivery -> bodies.put(delivery, delivery.message().body().clone()));
        }
        if (isSlowToRelease()) {
          got.forEach(delivery -> ends.put(delivery, claimed + 1_000_000_000));
        }
        return got;
      }

      boolean isSlowToRelease() {
        return oddity == Oddity.SLOW_RELEASES;
      }

      /** A millisecond for each; fails if a claim ends meanwhile. */
      CompletableFuture<Void> releaseSlowly(Collection<? extends Delivery> deliveries) {
        List<Long> open = new ArrayList<>();
        for (Delivery delivery : deliveries) {
          Long end = ends.get(delivery);
          if (end != null && System.nanoTime() - end < 0) {
            open.add(end);
          }
        }
        LockSupport.parkNanos(1_000_000L * deliveries.size());
        CompletableFuture<Void> released = inner.release(deliveries);
        return open.stream().anyMatch(end -> System.nanoTime() - end >= 0)
            ? CompletableFuture.failedFuture(new MqException("claims ended before the release"))
            : released;
      }

      private List<Delivery> anyOf(int max, Duration timeout) throws InterruptedException {
        List<Delivery> got = new ArrayList<>(inner.receive(max, timeout));
        Collections.shuffle(got, ThreadLocalRandom.current());
        return got;
      }

      @Override
      public CompletableFuture<Void> ack(Collection<? extends Delivery> deliveries) {
        call();
        CompletableFuture<Void> done = inner.ack(deliveries);
        if (oddity == Oddity.ONE_IN_TEN_AGAIN && !done.isCompletedExceptionally()) {
          List<Message> again = new ArrayList<>();
          for (Delivery delivery : deliveries) {
            if (ThreadLocalRandom.current().nextInt(10) == 0) {
              again.add(
                  new Message(
                      Objects.requireNonNull(bodies.get(delivery)), delivery.message().headers()));
            }
          }
          sendAgain(again);
        }
        return done;
      }

      private void sendAgain(List<Message> again) {
        try (Sender sender = OddMq.this.inner.sender(queue)) {
          Object sent = sender.sendAsync(again).exceptionally(failure -> null).join();
          assert sent == null;
        } catch (MqException | IllegalStateException e) {
          // the queue or the connection is gone
        }
      }

      @Override
      public void close() {
        call();
        inner.close();
      }
    }
  }
}
