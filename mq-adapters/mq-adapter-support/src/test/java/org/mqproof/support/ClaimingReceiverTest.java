package org.mqproof.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;

class ClaimingReceiverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration HOLD = Duration.ofMillis(100);
  private static final Duration LONGER = HOLD.multipliedBy(2);

  private static final class Claimed extends ClaimedDelivery {
    private Claimed(AckRounds<?> owner, String body) {
      super(owner, new Message(body.getBytes(UTF_8)));
    }
  }

  /** Each claim takes so long, and brings one message. */
  private final Deque<Duration> answers = new ArrayDeque<>();

  private final AtomicInteger claimed = new AtomicInteger();
  private final AtomicInteger extended = new AtomicInteger();
  private final CountDownLatch freed = new CountDownLatch(1);
  private volatile boolean firstEnds;

  private final ClaimingReceiver.Claims<Claimed> claims =
      new ClaimingReceiver.Claims<>() {
        @Override
        public List<Claimed> claim(int max, AckRounds<Claimed> owner) throws InterruptedException {
          Duration answer = answers.poll();
          if (answer == null) {
            return List.of();
          }
          TimeUnit.NANOSECONDS.sleep(answer.toNanos());
          return List.of(new Claimed(owner, "message " + claimed.incrementAndGet()));
        }

        @Override
        public Set<Claimed> settle(Collection<Claimed> deliveries) {
          return Set.of();
        }

        @Override
        public boolean free(Collection<Claimed> deliveries) {
          if (!deliveries.isEmpty()) {
            freed.countDown();
          }
          return true;
        }

        @Override
        public Set<Claimed> extend(Collection<Claimed> deliveries) {
          return extended.incrementAndGet() == 1 && firstEnds ? Set.copyOf(deliveries) : Set.of();
        }
      };

  private final BlockingCalls calls =
      new BlockingCalls("claiming-receiver-test", "here", Throwable::getMessage, PATIENCE);

  private final ClaimingReceiver<Claimed> receiver =
      new ClaimingReceiver<>(
          "queue",
          calls,
          HOLD,
          claims,
          new AckRounds<>("here", Claimed.class, claims, calls, PATIENCE),
          closed -> {});

  @AfterEach
  void close() {
    receiver.close();
    calls.close();
  }

  @Test
  void whatTookLongToComeIsExtendedAndDelivered() throws InterruptedException {
    answers.add(LONGER);

    assertThat(bodies(receiver.receive(1, PATIENCE))).containsExactly("message 1");
    assertThat(extended).hasPositiveValue();
    assertThat(freed.getCount()).isEqualTo(1);
  }

  @Test
  void whatEndedBeforeItCouldBeExtendedIsGivenBack() throws InterruptedException {
    firstEnds = true;
    answers.add(LONGER);
    answers.add(Duration.ZERO);

    assertThat(bodies(receiver.receive(1, PATIENCE))).containsExactly("message 2");
    assertThat(freed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private static List<String> bodies(List<Delivery> deliveries) {
    return deliveries.stream()
        .map(delivery -> new String(delivery.message().body(), UTF_8))
        .toList();
  }
}
