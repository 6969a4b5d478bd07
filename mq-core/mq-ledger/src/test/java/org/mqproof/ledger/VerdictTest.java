package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mqproof.Outcome.REJECTED;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mqproof.Delivery;
import org.mqproof.Message;
import org.mqproof.Ordering;

/** Whole histories, judged live and again from the file they left, alone and as a sum. */
class VerdictTest {

  private static final int RUN = 5;
  private static final Expectations LOOSE = Expectations.AT_LEAST_ONCE;
  private static final Expectations ORDERED = LOOSE.withOrder(Ordering.PER_SENDER);

  private final Path directory;

  VerdictTest(@TempDir Path directory) {
    this.directory = directory;
  }

  /** What happens in a run, between the opening of its ledger and the verdict. */
  interface Story {
    void happen(Ledger ledger);
  }

  record Case(String name, Expectations expected, String words, Story story) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case("nothing at all", LOOSE, "not proven: nothing confirmed; 0 confirmed", l -> {}),
        new Case(
            "nothing confirmed",
            LOOSE,
            "not proven: nothing confirmed; 0 confirmed, 10 recovered",
            ledger -> {
              ledger.sender(0).attempted(0, 10);
              receiveAndAck(ledger.newReceiver(), 0, 10);
            }),
        new Case(
            "flawless",
            ORDERED,
            "holds; 10 confirmed",
            l -> receiveAndAck(l.newReceiver(), send(l), 10)),
        new Case(
            "delivered, none given to ack, and nothing comes again",
            LOOSE,
            "broken: 1,000 lost (1,000 delivered, never given to ack), nothing acked; 1,000"
                + " confirmed",
            ledger -> {
              send(ledger, 1000);
              ledger.newReceiver().delivered(0, 0, 1000);
            }),
        new Case(
            "given to ack, and no ack has an outcome",
            LOOSE,
            "not proven: nothing acked; 10 confirmed, 10 acks in doubt",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              log.delivered(0, send(ledger), 10);
              log.settle(HistoryFormat.GIVEN, 0, 0, 10);
            }),
        new Case(
            "an ack that failed, and nothing came again",
            LOOSE,
            "holds; 10 confirmed, 1 acks in doubt",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              receiveAndAck(log, send(ledger), 9);
              log.delivered(0, 9);
              log.settle(HistoryFormat.GIVEN, 0, 9, 10);
              log.settle(HistoryFormat.ACK_FAILED, 0, 9, 10);
            }),
        new Case(
            "an ack that failed, and another receiver acked it",
            LOOSE,
            "holds; 10 confirmed, 1 duplicated",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              receiveAndAck(log, send(ledger), 9);
              log.delivered(0, 9);
              log.settle(HistoryFormat.GIVEN, 0, 9, 10);
              log.settle(HistoryFormat.ACK_FAILED, 0, 9, 10);
              receiveAndAck(ledger.newReceiver(), 9, 10);
            }),
        new Case(
            "an ack that failed, and then dropped by the next receiver",
            LOOSE,
            "broken: 1 lost (1 delivered, never given to ack); 10 confirmed, 1 duplicated",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              receiveAndAck(log, send(ledger), 9);
              log.delivered(0, 9);
              log.settle(HistoryFormat.GIVEN, 0, 9, 10);
              log.settle(HistoryFormat.ACK_FAILED, 0, 9, 10);
              ledger.newReceiver().delivered(0, 9);
            }),
        new Case(
            "two receivers hold it, and one of them acks",
            LOOSE,
            "holds; 10 confirmed, 10 duplicated",
            ledger -> {
              ReceiverLog one = ledger.newReceiver();
              one.delivered(0, send(ledger), 10);
              ledger.newReceiver().delivered(0, 0, 10);
              one.settle(HistoryFormat.GIVEN, 0, 0, 10);
              one.settle(HistoryFormat.ACKED, 0, 0, 10);
            }),
        new Case(
            "deliveries after their ack",
            LOOSE,
            "broken: 20 delivered after ack; 10 confirmed, 10 duplicated",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              receiveAndAck(log, send(ledger), 10);
              receiveAndAck(log, 0, 10);
              receiveAndAck(log, 0, 10);
            }),
        new Case(
            "deliveries after their ack, and a fault struck",
            LOOSE,
            "holds; 10 confirmed, 10 delivered after ack, 10 duplicated",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              receiveAndAck(log, send(ledger), 10);
              ledger.fault("leader killed");
              receiveAndAck(log, 0, 10);
            }),
        new Case(
            "reordered, and an order is declared",
            ORDERED,
            "broken: 5 reordered (nonmonotonic send); 10 confirmed",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              send(ledger);
              receiveAndAck(log, 5, 10);
              receiveAndAck(log, 0, 5);
            }),
        new Case(
            "in another order, but attempted twice: the second attempt may have come late",
            ORDERED,
            "holds; 10 confirmed",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              send(ledger);
              ledger.sender(0).attempted(0, 5);
              receiveAndAck(log, 5, 10);
              receiveAndAck(log, 0, 5);
            }),
        new Case(
            "reordered without an order",
            LOOSE,
            "holds; 10 confirmed",
            ledger -> {
              ReceiverLog log = ledger.newReceiver();
              send(ledger);
              receiveAndAck(log, 5, 10);
              receiveAndAck(log, 0, 5);
            }),
        new Case(
            "reordered after another receiver gave back what it held",
            ORDERED,
            "holds; 10 confirmed, 5 reordered (nonmonotonic send)",
            ledger -> {
              ReceiverLog other = ledger.newReceiver();
              ReceiverLog log = ledger.newReceiver();
              send(ledger);
              receiveAndAck(log, 5, 10);
              other.gaveBack();
              receiveAndAck(log, 0, 5);
            }),
        new Case(
            "skipped by the only receiver, for another one to get",
            ORDERED,
            "broken: 5 skipped (skipped poll); 10 confirmed",
            ledger -> {
              ReceiverLog one = ledger.newReceiver();
              send(ledger);
              receiveAndAck(one, 5, 10);
              receiveAndAck(ledger.newReceiver(), 0, 5);
            }),
        new Case(
            "skipped, and a fault struck",
            ORDERED,
            "holds; 10 confirmed, 5 skipped (skipped poll)",
            ledger -> {
              ReceiverLog one = ledger.newReceiver();
              send(ledger);
              receiveAndAck(one, 5, 10);
              ledger.fault("leader killed");
              receiveAndAck(ledger.newReceiver(), 0, 5);
            }),
        new Case(
            "each of two receivers in its order",
            ORDERED,
            "holds; 10 confirmed",
            ledger -> {
              ReceiverLog one = ledger.newReceiver();
              ReceiverLog other = ledger.newReceiver();
              send(ledger);
              receiveAndAck(one, 5, 10);
              receiveAndAck(other, 0, 5);
            }),
        new Case(
            "of several attempts one is open",
            LOOSE,
            "holds; 10 confirmed, 1 recovered",
            ledger -> {
              send(ledger);
              ledger.sender(0).attempted(10, 1);
              ledger.sender(0).attempted(10, 1);
              ledger.sender(0).failed(10, List.of(REJECTED));
              receiveAndAck(ledger.newReceiver(), 0, 11);
            }));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isTheSameLiveFromItsHistoryAndInASum(Case one) throws IOException {
    Path file = directory.resolve("a.history");
    Verdict live;
    try (Ledger ledger = Ledger.recordedTo(file, RUN, one.name())) {
      ledger.expect(one.expected());
      one.story().happen(ledger);
      live = ledger.verdict(true);
    }
    assertThat(live.judgement().words()).isEqualTo("at-least-once " + one.words());
    assertThat(live.holds()).isEqualTo(one.words().startsWith("holds"));
    assertThat(History.read(List.of(file)).verdict()).isEqualTo(live);

    Verdict flawless = Verdicts.ofFlawless(10).expecting(live.expected());
    Judgement sum = live.plus(flawless).judgement();
    assertThat(sum.confirmed()).isEqualTo(live.confirmed() + 10);
    assertThat(sum.broken()).isEqualTo(live.judgement().broken());
    assertThat(live.plus(live).lost()).isEqualTo(2 * live.lost());
  }

  static int send(Ledger ledger) {
    send(ledger, 10);
    return 0;
  }

  static void send(Ledger ledger, int messages) {
    ledger.sender(0).attempted(0, messages);
    ledger.sender(0).confirmed(0, messages);
  }

  static void receiveAndAck(ReceiverLog log, int from, int to) {
    List<Message> batch =
        IntStream.range(from, to).mapToObj(sequence -> Bodies.stamped(RUN, 0, sequence)).toList();
    List<Delivery> deliveries = Bodies.deliveries(batch);
    log.delivered(deliveries, time -> {});
    log.givenToAck(deliveries);
    log.acked(deliveries);
  }
}
