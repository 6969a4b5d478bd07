package org.mqproof.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Mq;
import org.mqproof.Outcome;
import org.mqproof.Receiver;
import org.mqproof.SendFailedException;
import org.mqproof.Sender;

/**
 * Random operations on the queue and on a model so naive that it can be read at a glance; both must
 * agree on every result. A failure names its seed: {@code -Dmemory.seed=...} runs that one alone.
 */
class RandomSchedulesTest {

  private static final int SCHEDULES = 1_000;
  private static final int STEPS = 200;
  private static final int LARGEST = 40;
  private static final int MOST_IN_FLIGHT = 7;
  private static final Duration CLAIM_PERIOD = Duration.ofSeconds(10);

  @Test
  void theQueueDoesWhatTheModelDoes() throws Exception {
    Long only = Long.getLong("memory.seed");
    for (long seed = 0; seed < SCHEDULES; seed++) {
      if (only == null || only == seed) {
        try {
          new Schedule(seed).run();
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("schedule failed; replay with -Dmemory.seed=" + seed, e);
        }
      }
    }
  }

  /** One message in the model. */
  private static final class Stored {
    final String id;
    @Nullable Client holder;
    int claim;
    long expiresAtSecond;

    Stored(String id) {
      this.id = id;
    }
  }

  /** One hand-over in the model. */
  private static final class Handed {
    final Stored stored;
    final int claim;
    final Delivery delivery;
    boolean acked;

    Handed(Stored stored, Delivery delivery) {
      this.stored = stored;
      this.claim = stored.claim;
      this.delivery = delivery;
    }
  }

  /** One receiver and all it ever got. */
  private static final class Client {
    final Receiver receiver;
    final List<Handed> handed = new ArrayList<>();

    Client(Receiver receiver) {
      this.receiver = receiver;
    }
  }

  private static final class Schedule {

    final Random random;
    final MemoryBroker broker =
        MemoryBroker.builder()
            .claimPeriod(CLAIM_PERIOD)
            .largestBodyBytes(LARGEST)
            .mostInFlight(MOST_IN_FLIGHT)
            .manualTime()
            .build();
    final Mq mq = broker.connect();
    final List<Sender> senders = new ArrayList<>();
    final List<Client> clients = new ArrayList<>();
    final List<Stored> queue = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    long second;
    int sent;
    int claims;

    Schedule(long seed) {
      random = new Random(seed);
    }

    void run() throws Exception {
      mq.createQueue("q");
      for (int i = 0; i < 3; i++) {
        senders.add(mq.sender("q"));
        clients.add(new Client(mq.receiver("q")));
      }
      for (int step = 0; step < STEPS; step++) {
        int what = random.nextInt(100);
        if (what < 35) {
          send();
        } else if (what < 65) {
          receive();
        } else if (what < 88) {
          ack();
        } else if (what < 94) {
          advance();
        } else if (what < 98) {
          reopen();
        } else {
          refuseAndHeal();
        }
      }
      mq.close();
      queue.forEach(stored -> stored.holder = null);
      try (Mq again = broker.connect()) {
        List<String> rest = new ArrayList<>();
        Receiver last = again.receiver("q");
        List<Delivery> batch = last.receive(3, Duration.ZERO);
        while (!batch.isEmpty()) {
          batch.forEach(delivery -> rest.add(id(delivery)));
          last.ack(batch).join();
          batch = last.receive(3, Duration.ZERO);
        }
        assertThat(rest).as("%s", log).containsExactlyElementsOf(ids(queue));
      }
    }

    private void send() throws InterruptedException {
      List<Message> batch = new ArrayList<>();
      List<Outcome> expected = new ArrayList<>();
      for (int i = random.nextInt(5); i >= 0; i--) {
        String id = "m" + sent++;
        boolean tooLarge = random.nextInt(10) == 0;
        batch.add(
            new Message(
                tooLarge ? Arrays.copyOf(id.getBytes(UTF_8), LARGEST + 1) : id.getBytes(UTF_8)));
        expected.add(tooLarge ? Outcome.REJECTED : Outcome.CONFIRMED);
        if (!tooLarge) {
          queue.add(new Stored(id));
        }
      }
      log.add("send " + expected);
      List<Outcome> outcomes = Collections.nCopies(batch.size(), Outcome.CONFIRMED);
      try {
        senders.get(random.nextInt(senders.size())).send(batch);
      } catch (SendFailedException e) {
        outcomes = e.outcomes();
      }
      batch.forEach(message -> Arrays.fill(message.body(), (byte) '?'));
      assertThat(outcomes).as("%s", log).isEqualTo(expected);
    }

    private void receive() throws InterruptedException {
      Client client = clients.get(random.nextInt(clients.size()));
      int max = 1 + random.nextInt(9);
      expire();
      long inFlight = queue.stream().filter(stored -> stored.holder == client).count();
      List<Stored> expected =
          queue.stream()
              .filter(stored -> stored.holder == null)
              .limit(Math.min(max, MOST_IN_FLIGHT - inFlight))
              .collect(Collectors.toList());
      log.add("receive(%d) by %d".formatted(max, clients.indexOf(client)));
      List<Delivery> batch = client.receiver.receive(max, Duration.ZERO);
      assertThat(batch.stream().map(Schedule::id).toList()).as("%s", log).isEqualTo(ids(expected));
      for (int i = 0; i < expected.size(); i++) {
        Stored stored = expected.get(i);
        stored.holder = client;
        stored.claim = ++claims;
        stored.expiresAtSecond = second + CLAIM_PERIOD.toSeconds();
        client.handed.add(new Handed(stored, batch.get(i)));
        Arrays.fill(batch.get(i).message().body(), (byte) '?'); // the receiver's own copy
      }
    }

    private void ack() {
      Client client = clients.get(random.nextInt(clients.size()));
      expire();
      List<Handed> some = client.handed.stream().filter(handed -> random.nextInt(3) == 0).toList();
      boolean late = false;
      for (Handed handed : some) {
        if (handed.stored.holder == client && handed.stored.claim == handed.claim) {
          queue.remove(handed.stored);
          handed.stored.holder = null;
          handed.acked = true;
        } else if (!handed.acked) {
          late = true;
        }
      }
      log.add("ack of %d by %d".formatted(some.size(), clients.indexOf(client)));
      CompletableFuture<Void> ack =
          client.receiver.ack(some.stream().map(handed -> handed.delivery).toList());
      assertThat(ack).as("%s", log).isDone();
      assertThat(ack.isCompletedExceptionally()).as("late ack fails; %s", log).isEqualTo(late);
    }

    private void advance() {
      int seconds = random.nextInt(12);
      second += seconds;
      log.add("advance " + seconds);
      broker.advance(Duration.ofSeconds(seconds));
    }

    private void reopen() {
      int index = random.nextInt(clients.size());
      Client closed = clients.get(index);
      log.add("reopen " + index);
      closed.receiver.close();
      queue.stream().filter(stored -> stored.holder == closed).forEach(s -> s.holder = null);
      clients.set(index, new Client(mq.receiver("q")));
    }

    private void refuseAndHeal() {
      log.add("refuse, heal");
      broker.refuse();
      broker.heal();
      queue.forEach(stored -> stored.holder = null);
    }

    private void expire() {
      queue.stream()
          .filter(stored -> stored.holder != null && stored.expiresAtSecond <= second)
          .forEach(stored -> stored.holder = null);
    }

    private static String id(Delivery delivery) {
      return new String(Objects.requireNonNull(delivery.message()).body(), UTF_8);
    }

    private static List<String> ids(List<Stored> stored) {
      return stored.stream().map(one -> one.id).toList();
    }
  }
}
