package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mqproof.Ordering;

/** For each anomaly of an order a queue that has it, and that nothing else finds. */
class AnomaliesTest {

  private static final int MESSAGES = 40;
  private static final int MOST = 4;

  private enum Anomaly {
    LOST_WRITE("lost writes", true),
    UNSEEN("unseen", true),
    DUPLICATE("duplicates", false),
    NONMONOTONIC_POLL("nonmonotonic polls", false),
    NONMONOTONIC_SEND("nonmonotonic send", true),
    SKIPPED_POLL("skipped poll", true);

    private final String words;

    /** Or only where redelivery is forbidden. */
    private final boolean alwaysBreaks;

    Anomaly(String words, boolean alwaysBreaks) {
      this.words = words;
      this.alwaysBreaks = alwaysBreaks;
    }
  }

  /**
   * A queue that is a log and the places in it where its receivers read on. Receivers take turns;
   * what one took is hidden from the others, and each acks what it gets.
   */
  static class LogQueue {
    private final List<Integer> log = new ArrayList<>();
    private int position;

    void store(List<Integer> batch) {
      log.addAll(batch);
    }

    List<Integer> receive(int receiver) {
      List<Integer> batch = new ArrayList<>();
      while (batch.size() < MOST && position < log.size()) {
        batch.add(log.get(position++));
      }
      return batch;
    }

    /** How many receivers there are before the first message is received. */
    int receiversAtFirst() {
      return 2;
    }

    boolean ackIsRecorded() {
      return true;
    }
  }

  private static LogQueue queueWith(Anomaly anomaly) {
    return switch (anomaly) {
      case LOST_WRITE ->
          new LogQueue() { // throws one of a batch away, and confirms it
            @Override
            void store(List<Integer> batch) {
              super.store(batch.get(0) == 20 ? batch.subList(1, batch.size()) : batch);
            }
          };
      case UNSEEN ->
          new LogQueue() { // has not written the last batch when it says so
            @Override
            void store(List<Integer> batch) {
              super.store(batch.get(0) == MESSAGES - MOST ? List.of() : batch);
            }
          };
      case DUPLICATE ->
          new LogQueue() { // a topic, not a queue: each receiver gets everything
            private final int[] positions = new int[2];

            @Override
            List<Integer> receive(int receiver) {
              super.position = positions[receiver];
              List<Integer> batch = super.receive(receiver);
              positions[receiver] = super.position;
              return batch;
            }

            @Override
            boolean ackIsRecorded() {
              return false; // else it would be delivered after its ack, too
            }
          };
      case NONMONOTONIC_POLL ->
          new LogQueue() { // reads its last batch again once, as if the place were not written
            private boolean again;

            @Override
            int receiversAtFirst() {
              return 1;
            }

            @Override
            List<Integer> receive(int receiver) {
              if (super.position == 20 && !again) {
                again = true;
                super.position -= MOST;
              }
              return super.receive(receiver);
            }

            @Override
            boolean ackIsRecorded() {
              return false;
            }
          };
      case NONMONOTONIC_SEND ->
          new LogQueue() { // a batch that is tried again comes behind the next one
            private List<Integer> held = List.of();

            @Override
            int receiversAtFirst() {
              return 1;
            }

            @Override
            void store(List<Integer> batch) {
              if (batch.get(0) == 20) {
                held = batch;
                return;
              }
              super.store(batch);
              super.store(held);
              held = List.of();
            }
          };
      case SKIPPED_POLL ->
          new LogQueue() { // the only receiver jumps over a batch, which the second one gets
            private List<Integer> jumped = List.of();

            @Override
            int receiversAtFirst() {
              return 1;
            }

            @Override
            List<Integer> receive(int receiver) {
              if (receiver > 0 && !jumped.isEmpty()) {
                List<Integer> found = jumped;
                jumped = List.of();
                return found;
              }
              if (super.position == MOST && jumped.isEmpty()) {
                jumped = super.receive(receiver);
              }
              return super.receive(receiver);
            }
          };
    };
  }

  private static Verdict run(LogQueue queue) {
    Ledger ledger = new Ledger();
    ledger.expect(Expectations.AT_LEAST_ONCE.withOrder(Ordering.PER_SENDER));
    for (int first = 0; first < MESSAGES; first += MOST) {
      ledger.sender(0).attempted(first, MOST);
      queue.store(IntStream.range(first, first + MOST).boxed().toList());
      ledger.sender(0).confirmed(first, MOST);
    }
    List<ReceiverLog> receivers = new ArrayList<>();
    for (int i = 0; i < queue.receiversAtFirst(); i++) {
      receivers.add(ledger.newReceiver());
    }
    List<List<Integer>> unacked = new ArrayList<>(Collections.nCopies(2, List.of()));
    for (int round = 0; round < 2 * MESSAGES; round++) {
      if (round == 8 && receivers.size() == 1) {
        receivers.add(ledger.newReceiver());
      }
      int number = round % receivers.size();
      List<Integer> batch = queue.receive(number);
      ReceiverLog log = receivers.get(number);
      batch.forEach(sequence -> log.delivered(0, sequence));
      List<Integer> before = unacked.set(number, batch);
      (queue.ackIsRecorded() ? batch : before)
          .forEach(sequence -> log.settle(HistoryFormat.GIVEN, 0, sequence, sequence + 1));
      if (queue.ackIsRecorded()) {
        batch.forEach(sequence -> log.acked(0, sequence));
      }
    }
    if (!queue.ackIsRecorded()) {
      receivers.get(0).settle(HistoryFormat.GIVEN, 0, 0, MESSAGES);
      receivers.get(0).settle(HistoryFormat.ACKED, 0, 0, MESSAGES);
    }
    return ledger.verdict(true);
  }

  private static Map<Anomaly, Long> counts(Verdict verdict) {
    Verdict.Anomalies found = verdict.anomalies();
    Map<Anomaly, Long> counts = new EnumMap<>(Anomaly.class);
    counts.put(Anomaly.LOST_WRITE, found.lostWrites());
    counts.put(Anomaly.UNSEEN, found.unseen());
    counts.put(Anomaly.DUPLICATE, found.duplicates());
    counts.put(Anomaly.NONMONOTONIC_POLL, found.nonmonotonicPolls());
    counts.put(Anomaly.NONMONOTONIC_SEND, found.nonmonotonicSends());
    counts.put(Anomaly.SKIPPED_POLL, found.skippedPolls());
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  @ParameterizedTest
  @EnumSource
  void isTheOnlyThingFoundInItsQueue(Anomaly anomaly) {
    Verdict verdict = run(queueWith(anomaly));

    assertThat(counts(verdict)).as(verdict.toString()).containsOnlyKeys(anomaly);
    assertThat(verdict.deliveredAfterAck()).isZero();
    assertThat(verdict.unexpected() + verdict.corrupt()).isZero();
    assertThat(verdict.judgement().words()).contains(anomaly.words);
    assertThat(verdict.judgement().broken()).isEqualTo(anomaly.alwaysBreaks);
    Judgement strict = verdict.expected().withoutRedelivery().judge(verdict);
    assertThat(strict.broken()).isTrue();
    assertThat(strict.headline()).contains(anomaly.words);
  }

  @Test
  void aSoundQueueHasNone() {
    Verdict verdict = run(new LogQueue());

    assertThat(counts(verdict)).isEmpty();
    assertThat(verdict.expected().withoutRedelivery().judge(verdict).words())
        .isEqualTo("at-least-once holds; 40 confirmed");
  }
}
