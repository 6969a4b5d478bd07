package org.mqproof.memory.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Receiver;
import org.mqproof.Sender;
import org.mqproof.conformance.MqConformance;
import org.mqproof.memory.MemoryBroker;
import org.mqproof.memory.broken.Forwarding.ForwardingMq;
import org.mqproof.memory.broken.Forwarding.ForwardingReceiver;
import org.mqproof.memory.broken.Forwarding.ForwardingSender;

/** ALO-22 finds defects by size, by sequence and by race, and prints the first two in few lines. */
class HistorySharpnessTest {

  private static final int LINES = 10;

  @Test
  void aBodyOfManyBytesLosesItsLast() {
    String text = failureOf(HistorySharpnessTest::longBodiesCut);
    assertThat(text).contains("(ALO-04)");
    assertThat(program(text)).hasSizeLessThanOrEqualTo(LINES);
  }

  @Test
  void aMessageGivenBackThreeTimesIsDropped() {
    Map<String, Integer> deliveries = new ConcurrentHashMap<>();
    String text = failureOf(mq -> droppedAtTheFourthDelivery(mq, deliveries));
    assertThat(text).contains("(ALO-06)");
    assertThat(program(text)).hasSizeLessThanOrEqualTo(LINES);
  }

  /**
   * Of what is drawn since there are headers, releases and extends. A release that settles loses a
   * message and lets a later ack succeed: the machine's speed decides which is seen first.
   */
  @ParameterizedTest
  @CsvSource({
    "HEADERS_DROPPED, ALO-04",
    "RELEASE_SETTLES, ALO-06|ALO-11",
    "EXTEND_DOES_NOTHING, ALO-05",
    "ACK_OUTCOMES_REVERSED, ALO-11"
  })
  void whatIsWrongWithHeadersAndClaimsIsFound(Defect defect, String rule) {
    String text = failureOf(mq -> defect.breaking.apply(new BrokenConnections(), mq));
    assertThat(text)
        .containsPattern("\\((" + rule + ")\\)")
        .contains("Replay with -Dmqproof.history=");
  }

  @Test
  void twoReceiversLookBeforeTheyClaim() {
    Shared shared = new Shared();
    String text = failureOf(mq -> sharedBufferWithoutLock(mq, shared));
    assertThat(text).contains("Replay with -Dmqproof.history=");
  }

  /** The kit, carried by a queue with one of the defects, for ALO-22 alone. */
  static class OnlyHistories extends MqConformance {

    static @Nullable UnaryOperator<Mq> breaking;

    private final MemoryBroker broker = MemoryBroker.builder().build();

    @Override
    protected Mq connect() {
      return Objects.requireNonNull(breaking).apply(broker.connect());
    }

    @Override
    protected Mq connectToDead() {
      throw new UnsupportedOperationException("only ALO-22 is run");
    }

    @Override
    protected Mq connectToHung() {
      throw new UnsupportedOperationException("only ALO-22 is run");
    }

    @Override
    protected void elapse(Duration time) {
      broker.advance(time);
    }

    @Override
    protected Duration patience() {
      return Duration.ofMillis(300); // a failure is looked at many times until it is small
    }

    @Override
    protected Duration window() {
      return Duration.ofMillis(10);
    }

    @Override
    protected String histories() {
      return "500"; // seeds: found by one of the first, whatever else runs on this machine
    }
  }

  private static String failureOf(UnaryOperator<Mq> breaking) {
    OnlyHistories.breaking = breaking;
    List<Event> failed =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(OnlyHistories.class))
            .filters(
                (PostDiscoveryFilter)
                    descriptor ->
                        FilterResult.includedIf(
                            !descriptor.isTest()
                                || descriptor.getDisplayName().startsWith("ALO-22 random")))
            .execute()
            .testEvents()
            .failed()
            .list();
    assertThat(failed).as("ALO-22 finds it").hasSize(1);
    return String.valueOf(
        failed
            .get(0)
            .getRequiredPayload(TestExecutionResult.class)
            .getThrowable()
            .map(Throwable::getMessage)
            .orElse("no text"));
  }

  /** The lines of the smallest program. */
  private static List<String> program(String text) {
    assertThat(text).contains("or by these calls");
    return text.lines()
        .dropWhile(line -> !line.contains("or by these calls"))
        .skip(1)
        .takeWhile(line -> !line.startsWith("  where: "))
        .filter(line -> !line.isBlank())
        .toList();
  }

  private static Mq longBodiesCut(Mq healthy) {
    return new ForwardingMq(healthy) {
      @Override
      Sender broken(String queue, Sender sender) {
        return new ForwardingSender(sender) {
          @Override
          public void send(List<Message> batch) throws InterruptedException {
            super.send(cut(batch));
          }

          @Override
          public CompletableFuture<Void> sendAsync(List<Message> batch) {
            return super.sendAsync(cut(batch));
          }
        };
      }
    };
  }

  private static List<Message> cut(List<Message> batch) {
    return batch.stream()
        .map(
            message ->
                message.body().length > 40_000 && message.body().length <= 1 << 20
                    ? new Message(Arrays.copyOf(message.body(), message.body().length - 1))
                    : message)
        .toList();
  }

  private static Mq droppedAtTheFourthDelivery(Mq healthy, Map<String, Integer> deliveries) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        return new ForwardingReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> got = new ArrayList<>(super.receive(max, timeout));
            List<Delivery> dropped =
                got.stream()
                    .filter(
                        delivery ->
                            deliveries.merge(
                                    queue + Arrays.toString(delivery.message().body()),
                                    1,
                                    Integer::sum)
                                > 3)
                    .toList();
            if (!dropped.isEmpty()) {
              super.ack(dropped).join();
              got.removeAll(dropped);
              return got.isEmpty() ? receive(max, timeout) : got;
            }
            return got;
          }
        };
      }
    };
  }

  /** What two receivers of a connection share. */
  private static final class Shared {
    final Map<String, Collection<Delivery>> buffers = new ConcurrentHashMap<>();
  }

  /** Messages are fetched into a list that all receivers of a queue look at, and then take from. */
  private static Mq sharedBufferWithoutLock(Mq healthy, Shared shared) {
    return new ForwardingMq(healthy) {
      @Override
      Receiver broken(String queue, Receiver receiver) {
        Collection<Delivery> buffer =
            shared.buffers.computeIfAbsent(queue, name -> new ConcurrentLinkedQueue<>());
        return new ForwardingReceiver(receiver) {
          @Override
          public List<Delivery> receive(int max, Duration timeout) throws InterruptedException {
            List<Delivery> taken = new ArrayList<>();
            for (Delivery delivery : buffer) { // look
              if (taken.size() < max) {
                taken.add(delivery);
              }
            }
            LockSupport.parkNanos(10_000); // as a round trip would take
            buffer.removeAll(taken); // and take
            if (!taken.isEmpty()) {
              return taken;
            }
            List<Delivery> got = super.receive(max, timeout);
            if (got.size() > 1) {
              buffer.addAll(got.subList(1, got.size()));
              return List.of(got.get(0));
            }
            return got;
          }
        };
      }
    };
  }
}
