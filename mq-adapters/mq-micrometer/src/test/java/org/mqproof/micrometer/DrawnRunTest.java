package org.mqproof.micrometer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.AckFailedException;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.MqException;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;
import org.mqproof.ledger.Ledger;
import org.mqproof.ledger.ReceiverLog;
import org.mqproof.ledger.SenderLog;
import org.mqproof.ledger.Verdict;
import org.mqproof.memory.MemoryBroker;

/**
 * Drawn calls, with bodies too large, a hung broker and claims that end: meters and ledger agree.
 */
class DrawnRunTest {

  private static final int STEPS = 1_000;
  private static final Duration CLAIM_PERIOD = Duration.ofSeconds(30);

  private final MockClock clock = new MockClock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
  private final Readings readings = new Readings(registry);
  private final MemoryBroker broker =
      MemoryBroker.builder()
          .claimPeriod(CLAIM_PERIOD)
          .largestBodyBytes(Ledger.STAMP_BYTES)
          .callBound(Duration.ofMillis(1))
          .build();
  private final Ledger ledger = new Ledger();
  private final List<Client> clients = new ArrayList<>();
  private final Mq mq = MqMetrics.monitor(registry, broker.connect(), "memory");
  private final Random random = new Random();
  private final Map<Outcome, Long> failedAcks = new EnumMap<>(Outcome.class);
  private long deliveries;
  private long releases;

  /** A receiver and what it holds. */
  private static final class Client {

    final Receiver receiver;
    final ReceiverLog log;
    final List<Delivery> held = new ArrayList<>();
    final List<Delivery> settled = new ArrayList<>();
    final List<Delivery> late = new ArrayList<>();

    Client(Receiver receiver, ReceiverLog log) {
      this.receiver = receiver;
      this.log = log;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void metersAndLedgerAgree(long seed) throws Exception {
    random.setSeed(seed);
    mq.createQueue("q");
    List<Sender> senders = List.of(mq.sender("q"), mq.sender("q"));
    for (int i = 0; i < 3; i++) {
      clients.add(open());
    }
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(20) == 0) {
        broker.hang();
      } else {
        broker.heal();
      }
      int at = random.nextInt(clients.size());
      int what = random.nextInt(100);
      if (what < 40) {
        int sender = random.nextInt(2);
        send(senders.get(sender), ledger.sender(sender));
      } else if (what < 70) {
        receive(clients.get(at));
      } else if (what < 90) {
        ack(clients.get(at));
      } else if (what < 92) {
        ackAgain(clients.get(at));
      } else if (what < 94) {
        ackLate(clients.get(at));
      } else if (what < 96) {
        release(clients.get(at));
      } else if (what < 98) {
        elapse(CLAIM_PERIOD.plusSeconds(1));
      } else {
        clients.get(at).receiver.close();
        clients.set(at, open());
      }
      assertThat(readings.inFlight())
          .as("in flight; ended claims may still count")
          .isGreaterThanOrEqualTo(clients.stream().mapToInt(client -> client.held.size()).sum());
    }
    broker.heal();
    drain();

    Verdict verdict = ledger.verdict(true);
    assertThat(verdict.holds()).as("%s", verdict).isTrue();
    assertThat(readings.sent(Outcome.CONFIRMED)).isEqualTo(verdict.confirmed()).isPositive();
    assertThat(readings.sent(Outcome.REJECTED)).isEqualTo(verdict.rejected()).isPositive();
    assertThat(readings.sent(Outcome.UNKNOWN)).isEqualTo(verdict.unknown()).isPositive();
    assertThat(readings.deliveries()).isEqualTo(deliveries).isGreaterThan(verdict.delivered());
    assertThat(readings.acks(Outcome.CONFIRMED)).isEqualTo(verdict.acked()).isPositive();
    assertThat(readings.acks(Outcome.REJECTED))
        .isEqualTo(failedAcks.get(Outcome.REJECTED))
        .isPositive();
    assertThat(readings.acks(Outcome.UNKNOWN))
        .isEqualTo(failedAcks.get(Outcome.UNKNOWN))
        .isPositive();
    assertThat(readings.processed()).isEqualTo(verdict.acked());
    assertThat(readings.releases("confirmed")).isEqualTo(releases).isPositive();
    assertThat(readings.inFlight()).isZero();
    mq.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  private Client open() {
    ReceiverLog log = ledger.newReceiver();
    broker.heal();
    return new Client(mq.receiver("q"), log);
  }

  private void elapse(Duration time) {
    for (Client client : clients) {
      client.late.addAll(client.held);
      client.held.clear();
    }
    broker.advance(time);
    clock.add(time);
  }

  private void send(Sender sender, SenderLog log) throws InterruptedException {
    List<Message> batch = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      batch.add(new Message(new byte[Ledger.STAMP_BYTES + (random.nextInt(10) == 0 ? 1 : 0)]));
    }
    long first = log.stamp(batch, 0);
    try {
      if (random.nextBoolean()) {
        sender.send(batch);
      } else {
        sender.sendAsync(batch).join();
      }
      log.confirmed(first, batch.size());
    } catch (SendFailedException e) {
      log.failed(first, e.outcomes());
    } catch (CompletionException e) {
      log.failed(first, ((SendFailedException) requireNonNull(e.getCause())).outcomes());
    }
  }

  private void receive(Client client) throws InterruptedException {
    try {
      List<Delivery> got = client.receiver.receive(1 + random.nextInt(5), Duration.ZERO);
      client.log.delivered(got, sentAtNanos -> {});
      client.held.addAll(got);
      deliveries += got.size();
    } catch (MqException e) {
      assertThat(e).hasMessageContaining(broker.toString()); // hung
    }
  }

  private List<Delivery> drawn(List<Delivery> from) {
    Collections.shuffle(from, random);
    return List.copyOf(from.subList(0, random.nextInt(from.size() + 1)));
  }

  private void ack(Client client) {
    List<Delivery> some = drawn(client.held);
    if (ack(client, some)) {
      client.held.removeAll(some);
      client.settled.addAll(some);
    }
  }

  private void ackLate(Client client) {
    if (!client.late.isEmpty()) {
      ack(client, client.late.subList(0, 1));
      client.late.remove(0);
    }
  }

  private boolean ack(Client client, List<Delivery> some) {
    try {
      client.log.ack(client.receiver, some).join();
      return true;
    } catch (CompletionException e) {
      AckFailedException failure = (AckFailedException) requireNonNull(e.getCause());
      failure.outcomes().forEach(outcome -> failedAcks.merge(outcome, 1L, Long::sum));
      return false;
    }
  }

  private void ackAgain(Client client) {
    broker.heal();
    client.receiver.ack(drawn(client.settled)).join();
  }

  private void release(Client client) {
    List<Delivery> some = drawn(client.held);
    if (!client.receiver.release(some).isCompletedExceptionally()) {
      client.held.removeAll(some);
      releases += some.size();
    }
  }

  private void drain() throws InterruptedException {
    for (Client client : clients) {
      client.receiver.close();
    }
    Client last = open();
    int got;
    do {
      receive(last);
      last.log.ack(last.receiver, last.held).join();
      got = last.held.size();
      last.held.clear();
    } while (got > 0);
    last.receiver.close();
  }
}
