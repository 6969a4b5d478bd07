package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Ordering;
import org.mqproof.Outcome;

/**
 * Random histories, judged by the ledger, by a model of plain sets and maps, and by the file that
 * the ledger wrote.
 */
class HistoryPropertyTest {

  private static final int RUN = 77;

  private static final List<Outcome> OUTCOMES = List.of(Outcome.values());
  private static final List<Ordering> ORDERS = List.of(Ordering.values());

  enum Kind {
    STAMP,
    ATTEMPT_ELSEWHERE,
    CONFIRM,
    FAIL,
    DELIVER,
    DELIVER_ELSEWHERE,
    DELIVER_CHANGED,
    DELIVER_TRUNCATED,
    DELIVER_INVENTED,
    DELIVER_OTHER_RUN,
    GIVE_TO_ACK,
    ACK,
    FAIL_ACK,
    ACK_ELSEWHERE,
    OPEN_RECEIVER,
    GIVE_BACK,
    EXPECT,
    STRIKE
  }

  /** One step; what {@code a} and {@code b} choose depends on the kind and on what there is. */
  record Step(Kind kind, int sender, int receiver, int a, int b) {}

  record Id(int sender, long sequence) {}

  record Sent(int sender, long first, List<Message> messages) {}

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.of(Kind.STAMP, Kind.CONFIRM, Kind.DELIVER)),
            Tuple.of(3, Arbitraries.of(Kind.GIVE_TO_ACK, Kind.ACK)),
            Tuple.of(2, Arbitraries.of(Kind.FAIL_ACK, Kind.FAIL)),
            Tuple.of(1, Arbitraries.of(Kind.OPEN_RECEIVER, Kind.DELIVER)),
            Tuple.of(1, Arbitraries.of(Kind.values())));
    return Combinators.combine(
            kinds,
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 1000),
            Arbitraries.integers().between(0, 1000))
        .as(Step::new)
        .list()
        .ofMaxSize(80);
  }

  @Property(tries = 2000)
  void theVerdictIsThatOfTheModel(
      @ForAll("histories") List<Step> history, @ForAll boolean drained, @ForAll boolean ordered)
      throws IOException {
    Path directory = Files.createTempDirectory("mqproof-history");
    Path file = directory.resolve("a.history");
    try {
      Verdict verdict;
      try (Ledger ledger = Ledger.recordedTo(file, RUN, "a property")) {
        verdict = judge(ledger, history, drained, ordered);
      }
      assertThat(History.read(List.of(file)).verdict()).isEqualTo(verdict);
      // Without a history nothing that comes in order takes a lock.
      assertThat(judge(new Ledger(RUN), history, drained, ordered)).isEqualTo(verdict);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  private static Verdict judge(
      Ledger ledger, List<Step> history, boolean drained, boolean ordered) {
    World world = new World(ledger, ordered);
    for (int i = 0; i < history.size(); i++) {
      if (i == history.size() / 2) {
        world.check(false); // looking at a run must not disturb it
      }
      world.take(history.get(i));
    }
    return world.check(drained);
  }

  private static final class World {
    private final Ledger ledger;
    private final List<ReceiverLog> receivers = new ArrayList<>();
    private final List<Sent> sent = new ArrayList<>();
    private final List<Delivery> handed = new ArrayList<>();

    private final Set<Id> attempted = new HashSet<>();
    private final Set<Id> confirmed = new HashSet<>();
    private final Set<Id> rejected = new HashSet<>();
    private final Set<Id> saidUnknown = new HashSet<>();
    private final Map<Id, Integer> delivered = new HashMap<>();
    private final Map<Id, Integer> attempts = new HashMap<>();
    private final Map<Id, Integer> openAttempts = new HashMap<>();

    /** What happened to each message at a receiver, in order: delivered, given, acked. */
    private final Map<Id, String> atReceivers = new HashMap<>();

    private final Set<Id> acked = new HashSet<>();
    private final Map<Integer, Map<Integer, Long>> highest = new HashMap<>();

    /** By sender, as of when the second receiver was opened. */
    private Map<Integer, Long> positionsAlone = Map.of();

    private final Set<Id> late = new HashSet<>();
    private final Set<Id> skipped = new HashSet<>();
    private Expectations expected = Expectations.AT_LEAST_ONCE;
    private boolean gaveBack;
    private long corrupt;
    private long foreign;
    private long afterAck;
    private long ahead;
    private long behind;

    World(Ledger ledger, boolean ordered) {
      this.ledger = ledger;
      if (ordered) {
        expected = expected.withOrder(Ordering.PER_SENDER);
        ledger.expect(expected);
      }
      receivers.add(ledger.newReceiver());
    }

    void take(Step drawn) {
      int opened = drawn.receiver() % receivers.size();
      Step step = new Step(drawn.kind(), drawn.sender(), opened, drawn.a(), drawn.b());
      int a = step.a();
      int b = step.b();
      switch (step.kind()) {
        case STAMP -> {
          List<Message> batch = Bodies.messages(1 + a % 12);
          long first = ledger.sender(step.sender()).stamp(batch, b);
          batch.forEach(message -> assertThat(Stamp.timeNanos(message.body())).isEqualTo(b));
          remember(step.sender(), first, batch);
        }
        case ATTEMPT_ELSEWHERE -> {
          long[] bases = {0, 65_530, 200_000, (1L << 32) - 6, 3L << 32};
          long first = bases[a % bases.length] + b % 7;
          int count = 1 + a % 9;
          ledger.sender(step.sender()).attempted(first, count);
          List<Message> batch = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            batch.add(Bodies.stamped(RUN, step.sender(), first + i));
          }
          remember(step.sender(), first, batch);
        }
        case CONFIRM -> {
          for (Sent batch : pick(a)) {
            int from = b % batch.messages().size();
            int count = batch.messages().size() - from;
            ledger.sender(batch.sender()).confirmed(batch.first() + from, count);
            for (int i = 0; i < count; i++) {
              confirmed.add(new Id(batch.sender(), batch.first() + from + i));
            }
          }
        }
        case FAIL -> {
          for (Sent batch : pick(a)) {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < batch.messages().size(); i++) {
              Outcome outcome = OUTCOMES.get((b + i * i) % OUTCOMES.size());
              outcomes.add(outcome);
              Id id = new Id(batch.sender(), batch.first() + i);
              switch (outcome) {
                case CONFIRMED -> confirmed.add(id);
                case REJECTED -> {
                  rejected.add(id);
                  openAttempts.computeIfPresent(id, (i2, open) -> Math.max(0, open - 1));
                }
                case UNKNOWN -> saidUnknown.add(id);
              }
            }
            ledger.sender(batch.sender()).failed(batch.first(), outcomes);
          }
        }
        case DELIVER -> {
          List<Message> batch = new ArrayList<>();
          for (Sent from : pick(a)) {
            for (int i = 0; i < from.messages().size(); i++) {
              int at = (i * (1 + b % 3) + b) % from.messages().size();
              batch.add(from.messages().get(at));
              countDelivery(step.receiver(), new Id(from.sender(), from.first() + at));
            }
            pick(a + 1)
                .forEach(
                    next -> {
                      batch.add(next.messages().get(0));
                      countDelivery(step.receiver(), new Id(next.sender(), next.first()));
                    });
          }
          hand(step.receiver(), batch, batch.size());
        }
        case DELIVER_ELSEWHERE -> {
          Id id = new Id(step.sender(), b - 3L);
          receivers.get(step.receiver()).delivered(id.sender(), id.sequence());
          if (id.sequence() < 0) {
            foreign++;
          } else {
            countDelivery(step.receiver(), id);
          }
        }
        case DELIVER_CHANGED -> {
          for (Sent from : pick(a)) {
            Message changed = Bodies.changed(from.messages().get(0), b % 40, 1 + a % 255);
            corrupt++;
            hand(step.receiver(), List.of(changed), 0);
          }
        }
        case DELIVER_TRUNCATED -> {
          corrupt++;
          hand(step.receiver(), List.of(new Message(new byte[b % 40])), 0);
        }
        case DELIVER_INVENTED -> {
          Id id = new Id(step.sender() + a % 4, (b % 2 == 0 ? 0 : 5L << 32) + b % 30);
          countDelivery(step.receiver(), id);
          hand(step.receiver(), List.of(Bodies.stamped(RUN, id.sender(), id.sequence())), 1);
        }
        case DELIVER_OTHER_RUN -> {
          foreign++;
          hand(step.receiver(), List.of(Bodies.stamped(RUN + 1, step.sender(), b)), 0);
        }
        case GIVE_TO_ACK, ACK, FAIL_ACK -> {
          if (!handed.isEmpty()) {
            int from = a % handed.size();
            List<Delivery> some = handed.subList(from, Math.min(handed.size(), from + 1 + b % 9));
            ReceiverLog log = receivers.get(step.receiver());
            for (Delivery delivery : some) {
              byte[] body = delivery.message().body();
              if (new Stamp().isIntact(body) && Stamp.run(body) == RUN) {
                countAck(step.kind(), new Id(Stamp.sender(body), Stamp.sequence(body)));
              }
            }
            switch (step.kind()) {
              case ACK -> log.acked(some);
              case GIVE_TO_ACK -> log.givenToAck(some);
              default -> log.ackFailed(some);
            }
          }
        }
        case ACK_ELSEWHERE -> {
          receivers.get(step.receiver()).acked(step.sender(), b);
          acked.add(new Id(step.sender(), b));
        }
        case OPEN_RECEIVER -> {
          if (receivers.size() < 3) {
            if (receivers.size() == 1) {
              positionsAlone = Map.copyOf(highest.getOrDefault(0, Map.of()));
            }
            receivers.add(ledger.newReceiver());
          }
        }
        case GIVE_BACK -> {
          gaveBack = true;
          receivers.get(step.receiver()).gaveBack();
        }
        case EXPECT -> {
          boolean early = delivered.isEmpty(); // later an order cannot be declared
          Ordering order = !early ? expected.order() : ORDERS.get(a % ORDERS.size());
          Expectations others = new Expectations(order, a % 13 == 0, b % 2 == 0);
          ledger.expect(others);
          expected = expected.faults() ? others.withFaults() : others;
        }
        case STRIKE -> {
          ledger.fault("struck");
          expected = expected.withFaults();
        }
      }
    }

    private void countAck(Kind kind, Id id) {
      switch (kind) {
        case ACK -> acked.add(id);
        case GIVE_TO_ACK -> atReceivers.merge(id, "G", String::concat);
        default -> {} // an ack that failed is as much in doubt as one that did not end
      }
    }

    private void remember(int sender, long first, List<Message> batch) {
      for (int i = 0; i < batch.size(); i++) {
        Id id = new Id(sender, first + i);
        attempted.add(id);
        attempts.merge(id, 1, Integer::sum);
        openAttempts.merge(id, 1, Integer::sum);
      }
      sent.add(new Sent(sender, first, batch));
    }

    private List<Sent> pick(int a) {
      return sent.isEmpty() ? List.of() : List.of(sent.get(a % sent.size()));
    }

    private void hand(int receiver, List<Message> batch, int intactOfThisRun) {
      List<Delivery> deliveries = Bodies.deliveries(batch);
      List<Long> times = new ArrayList<>();
      receivers.get(receiver).delivered(deliveries, times::add);
      assertThat(times).hasSize(intactOfThisRun);
      handed.addAll(deliveries);
    }

    private void countDelivery(int receiver, Id id) {
      Map<Integer, Long> had = highest.computeIfAbsent(receiver, r -> new HashMap<>());
      long position = had.getOrDefault(id.sender(), -1L);
      boolean first = !delivered.containsKey(id);
      if (first && id.sequence() < position) {
        late.add(id);
      }
      if (first && receiver > 0 && id.sequence() < positionsAlone.getOrDefault(id.sender(), -1L)) {
        skipped.add(id);
      }
      if (!first && id.sequence() > position) {
        ahead++;
      } else if (!first) {
        behind++;
      }
      if (acked.contains(id)) {
        afterAck++;
      }
      had.put(id.sender(), Math.max(position, id.sequence()));
      delivered.merge(id, 1, Integer::sum);
      atReceivers.merge(id, "D", String::concat);
    }

    /** Delivered, not given to ack since, and never acked. */
    private boolean isOwed(Id id) {
      return atReceivers.getOrDefault(id, "").endsWith("D") && !acked.contains(id);
    }

    private boolean isInDoubt(Id id) {
      return atReceivers.getOrDefault(id, "").endsWith("G") && !acked.contains(id);
    }

    private boolean isSure(Id id) {
      return confirmed.contains(id)
          && !rejected.contains(id)
          && !saidUnknown.contains(id)
          && attempts.getOrDefault(id, 0) == 1;
    }

    /** Whether the sender has a message that was attempted and delivered, and comes later. */
    private boolean isPassed(Id id) {
      return delivered.keySet().stream()
          .anyMatch(
              other ->
                  other.sender() == id.sender()
                      && other.sequence() > id.sequence()
                      && attempted.contains(other));
    }

    private static long count(Set<Id> ids, Predicate<Id> which) {
      return ids.stream().filter(which).count();
    }

    Verdict check(boolean drained) {
      Verdict verdict = ledger.verdict(drained);
      Set<Id> isRejected = new HashSet<>(rejected);
      isRejected.removeAll(saidUnknown);
      isRejected.removeAll(confirmed);
      isRejected.removeIf(id -> openAttempts.getOrDefault(id, 0) > 0);
      long never = count(confirmed, id -> !delivered.containsKey(id));
      long passed = count(confirmed, id -> !delivered.containsKey(id) && isPassed(id));
      long owed = count(confirmed, this::isOwed);
      long inDoubt = count(attempted, this::isInDoubt);
      long missing = never + owed;
      long invented = count(delivered.keySet(), id -> !attempted.contains(id));
      long rejectedDelivered = count(isRejected, delivered::containsKey);
      boolean ordered = expected.order() != Ordering.NONE;
      long sends = ordered ? count(late, this::isSure) : 0;
      long skips = ordered ? count(skipped, this::isSure) : 0;
      assertThat(verdict)
          .usingRecursiveComparison()
          .ignoringFields("examples")
          .isEqualTo(
              new Verdict(
                  attempted.size(),
                  confirmed.size(),
                  isRejected.size(),
                  attempted.size() - confirmed.size() - isRejected.size(),
                  count(attempted, delivered::containsKey),
                  count(attempted, acked::contains),
                  drained ? missing : 0,
                  drained ? 0 : missing,
                  count(attempted, id -> delivered.getOrDefault(id, 0) > 1),
                  invented + rejectedDelivered + foreign,
                  count(
                      attempted,
                      id ->
                          !confirmed.contains(id)
                              && !isRejected.contains(id)
                              && delivered.containsKey(id)),
                  corrupt,
                  late.size(),
                  afterAck,
                  drained,
                  new Verdict.Acks(true, owed, inDoubt, gaveBack),
                  new Verdict.Anomalies(
                      drained ? passed : 0,
                      drained ? never - passed : 0,
                      ahead,
                      behind,
                      sends,
                      skips),
                  expected,
                  List.of()));
      boolean anythingOdd =
          missing + inDoubt + invented + rejectedDelivered + foreign + corrupt + afterAck > 0
              || verdict.duplicated() > 0
              || sends + skips > 0;
      assertThat(verdict.examples()).hasSizeBetween(anythingOdd ? 1 : 0, anythingOdd ? 10 : 0);
      assertThat(ledger.allConfirmedDelivered()).isEqualTo(never == 0);
      assertThat(ledger.attempted()).isEqualTo(attempted.size());
      assertThat(ledger.delivered()).isEqualTo(delivered.size());
      return verdict;
    }
  }
}
