package org.mqproof.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mqproof.Message;
import org.mqproof.Outcome;

class HistoryTest {

  private static final int RUN = 7;

  private final Path directory;

  HistoryTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void saysWhoRecordedWhatAndWhen() throws IOException {
    Instant before = Instant.now().minusMillis(1); // a history counts whole milliseconds
    Path file = directory.resolve("a.history");
    try (Ledger ledger = Ledger.recordedTo(file, RUN, "the name, also in Ünicode")) {
      ledger.mark("leader killed");
      exchange(ledger, 3, 100);
      ledger.mark("leader back");
      ledger.verdict(true);
    }

    History history = History.read(List.of(file));
    assertThat(history.run()).isEqualTo(RUN);
    assertThat(history.beyond()).isZero();
    assertThat(history.verdict()).isEqualTo(Verdicts.ofFlawless(100));
    assertThat(history.verdict().acked()).isEqualTo(100);
    assertThat(history.marks())
        .extracting(History.Mark::what)
        .containsExactly("leader killed", "leader back");
    assertThat(history.marks())
        .extracting(History.Mark::at)
        .allMatch(at -> at.isAfter(before) && at.isBefore(Instant.now().plusMillis(1)));
    History.Part part = history.parts().get(0);
    assertThat(part.file()).isEqualTo(file);
    assertThat(part.name()).isEqualTo("the name, also in Ünicode");
    assertThat(part.started()).isBetween(before, part.until());
    assertThat(part.complete()).isTrue();
    assertThat(part.leftOut()).isZero();
  }

  @Test
  void sendersAndReceiversOfDifferentProcessesAreJudgedAsOneRun() throws IOException {
    Path senders = directory.resolve("senders.history");
    Path receivers = directory.resolve("receivers.history");
    try (Ledger here = Ledger.recordedTo(senders, RUN, "node 1");
        Ledger there = Ledger.recordedTo(receivers, RUN, "node 2")) {
      List<Message> batch = Bodies.messages(20);
      here.sender(3).stamp(batch, 1);
      here.sender(3).confirmed(0, 15);
      here.sender(3).failed(15, List.of(Outcome.REJECTED, Outcome.UNKNOWN));
      ReceiverLog receiver = there.newReceiver();
      receiver.delivered(Bodies.deliveries(batch.subList(2, 17)), time -> {});
      receiver.givenToAck(Bodies.deliveries(batch.subList(2, 17)));
      receiver.acked(Bodies.deliveries(batch.subList(2, 10)));
      receiver.delivered(Bodies.deliveries(batch.subList(9, 12)), time -> {});
      receiver.delivered(List.of(), time -> {});
      there.verdict(true);
    }

    Verdict verdict = History.read(List.of(receivers, senders)).verdict();
    assertThat(verdict)
        .isEqualTo(
            new Verdict(
                20,
                15,
                1,
                4,
                15,
                8,
                4,
                0,
                3,
                1,
                1,
                0,
                0,
                1,
                true,
                new Verdict.Acks(true, 2, 5, false),
                new Verdict.Anomalies(2, 0, 0, 3, 0, 0),
                Expectations.AT_LEAST_ONCE,
                verdict.examples()));
    assertThat(verdict.examples())
        .containsExactly(
            "lost: sender 3 sequences 0-1",
            "lost: sender 3 sequences 10-11 (delivered, never given to ack)",
            "unexpected: sender 3 sequence 15 (rejected)",
            "delivered after ack: sender 3 sequence 9",
            "duplicated: sender 3 sequences 9-11",
            "ack in doubt: sender 3 sequences 12-16 (no outcome)");
    assertThat(History.read(List.of(senders, receivers)).verdict()).isEqualTo(verdict);
    assertThat(History.read(List.of(senders)).verdict())
        .returns(15L, Verdict::unverified)
        .returns(false, Verdict::drained);
  }

  @Test
  void withoutTheHistoryOfAProcessNothingIsCalledLostOrInvented() throws IOException {
    Path senders = directory.resolve("senders.history");
    Path receivers = directory.resolve("receivers.history");
    Path gone = directory.resolve("gone.history");
    try (Ledger here = Ledger.recordedTo(senders, RUN, "node 1");
        Ledger elsewhere = Ledger.recordedTo(gone, RUN, "node 2");
        Ledger there = Ledger.recordedTo(receivers, RUN, "node 3")) {
      here.sender(0).attempted(0, 10);
      here.sender(0).confirmed(0, 10);
      elsewhere.sender(1).attempted(0, 7);
      ReceiverLog receiver = there.newReceiver();
      for (int sequence = 0; sequence < 7; sequence++) {
        receiver.delivered(0, sequence);
        receiver.delivered(1, sequence);
        receiver.acked(0, sequence);
        receiver.acked(1, sequence);
      }
      receiver.delivered(0, 10); // what a complete history says was never sent
      there.verdict(true);
    }

    assertThat(History.read(List.of(senders, receivers)).verdict())
        .returns(3L, Verdict::lost)
        .returns(8L, Verdict::unexpected);
    History left = History.read(List.of(senders, receivers), false);
    assertThat(left.beyond()).isEqualTo(7);
    assertThat(left.verdict())
        .returns(0L, Verdict::lost)
        .returns(3L, Verdict::unverified)
        .returns(7L, Verdict::recovered)
        .returns(1L, Verdict::unexpected)
        .returns(false, Verdict::drained);
  }

  @Test
  void isDrainedOnlyIfNoProcessWithReceiversSaysOtherwise() throws IOException {
    List<Path> files = List.of(directory.resolve("a"), directory.resolve("b"));
    try (Ledger one = Ledger.recordedTo(files.get(0), RUN, "one");
        Ledger other = Ledger.recordedTo(files.get(1), RUN, "other")) {
      exchange(one, 0, 10);
      one.verdict(true);
      other.newReceiver();
    }
    assertThat(History.read(files.subList(0, 1)).verdict().drained()).isTrue();
    assertThat(History.read(files).verdict().drained()).isFalse();
  }

  @Test
  void aSenderThatGoesOnInAnotherProcessIsOneSender() throws IOException {
    List<Path> files = List.of(directory.resolve("a"), directory.resolve("b"));
    try (Ledger one = Ledger.recordedTo(files.get(0), RUN, "one")) {
      exchange(one, 0, 10);
      one.verdict(true);
    }
    try (Ledger other = Ledger.recordedTo(files.get(1), RUN, "other")) {
      other.sender(0).attempted(10, 10);
      other.sender(0).confirmed(10, 10);
      ReceiverLog receiver = other.newReceiver();
      receiver.delivered(0, 10, 20);
      receiver.settle(HistoryFormat.ACKED, 0, 10, 20);
      other.verdict(true);
    }
    assertThat(History.read(files).verdict())
        .returns(20L, Verdict::confirmed)
        .returns(true, Verdict::holds);
  }

  @Test
  void twoSendersWithOneNumberAreAnErrorBecauseTheyHideEachOthersLosses() throws IOException {
    List<Path> files = List.of(directory.resolve("a"), directory.resolve("b"));
    for (Path file : files) {
      try (Ledger ledger = Ledger.recordedTo(file, RUN, "")) {
        exchange(ledger, 0, 10);
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(files))
        .withMessage(
            "sender 0 of %s and of %s sent messages with the same sequence numbers: each sender"
                + " of a run needs a number of its own",
            files.get(0), files.get(1));
  }

  @Test
  void filesThatDoNotBelongTogetherAreAnError() throws IOException {
    Path one = recorded("a", RUN);
    Path other = recorded("b", -8);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(one, other)))
        .withMessage(
            "%s is of run 7 and %s of run -8: only histories of one run can be judged together",
            one, other);
    Path copy = Files.copy(one, directory.resolve("copy"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(one, copy)))
        .withMessage("%s and %s are the same history: it would count twice", one, copy);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of()))
        .withMessage("a verdict needs at least one history");
  }

  @Test
  void whateverIsCutOffAtTheEndNothingIsInventedAndNothingIsCalledLost() throws IOException {
    Path file = recorded("whole", RUN);
    byte[] whole = Files.readAllBytes(file);
    Path part = directory.resolve("part");
    long delivered = 0;
    int readable = 0;
    for (int length = 0; length < whole.length; length++) {
      Files.write(part, Arrays.copyOf(whole, length));
      try {
        History history = History.read(List.of(part));
        readable++;
        assertThat(history.parts().get(0).complete()).isFalse();
        assertThat(history.parts().get(0).leftOut()).isLessThan(whole.length);
        assertThat(history.verdict())
            .returns(false, Verdict::drained)
            .returns(0L, Verdict::lost)
            .returns(0L, Verdict::unexpected)
            .returns(0L, Verdict::corrupt);
        assertThat(history.verdict().delivered()).isGreaterThanOrEqualTo(delivered);
        delivered = history.verdict().delivered();
      } catch (IllegalArgumentException e) {
        assertThat(readable).as("at length %d: %s", length, e).isZero();
        assertThat(e)
            .hasMessage(part + " is a history that ends before anything was recorded in it");
      }
    }
    assertThat(readable).isPositive();
    assertThat(History.read(List.of(file)).verdict().holds()).isTrue();
  }

  @Test
  void whateverByteIsAlteredTheVerdictNeverHolds() throws IOException {
    Path file = recorded("whole", RUN);
    byte[] whole = Files.readAllBytes(file);
    Path altered = directory.resolve("altered");
    int found = 0;
    for (int at = 0; at < whole.length; at++) {
      byte[] bytes = whole.clone();
      bytes[at] ^= 0x10;
      Files.write(altered, bytes);
      try {
        // The length of the last chunks may now point past the end, as if the rest were missing.
        assertThat(History.read(List.of(altered)).verdict().holds()).as("byte %d", at).isFalse();
      } catch (IllegalArgumentException e) {
        found++;
        assertThat(e).message().startsWith(altered.toString()).doesNotContain("null");
      }
    }
    assertThat(found).isGreaterThan(whole.length / 2);
  }

  @Test
  void whatIsNoHistoryIsToldApart() throws IOException {
    Path text = Files.writeString(directory.resolve("text"), "MqProof is not only histories");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(text)))
        .withMessage(text + " is not a history of a ledger");
    Path absent = directory.resolve("absent");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(absent)))
        .withMessage("there is no file " + absent);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(directory)))
        .withMessage(directory + " is a directory; name the history files in it");
    Path later = directory.resolve("later");
    Files.write(later, "MqProof-history\3...".getBytes(StandardCharsets.US_ASCII));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(later)))
        .withMessage(
            later + " is a history in version 3 of the format; this program reads versions 1 to 2");
    Path more = recorded("more", RUN);
    Files.write(more, new byte[1], StandardOpenOption.APPEND);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> History.read(List.of(more)))
        .withMessageEndingWith("something follows its end");
  }

  @Test
  void aMessageThatOnlyTheLostEndOfItsSendersHistoryCanHaveSentIsNotCalledUnexpected()
      throws IOException {
    Path sender = recorded("sender", RUN); // sender 0, sequences 0 to 99
    byte[] whole = Files.readAllBytes(sender);
    Path receiver = directory.resolve("receiver");
    try (Ledger ledger = Ledger.recordedTo(receiver, RUN, "receiver")) {
      ledger.newReceiver().delivered(0, 90, 105);
      ledger.verdict(true);
    }
    assertThat(History.read(List.of(sender, receiver)))
        .returns(0L, History::beyond)
        .extracting(History::verdict)
        .returns(5L, Verdict::unexpected);

    Path killed = directory.resolve("killed");
    Files.write(killed, Arrays.copyOf(whole, whole.length - 1));
    assertThat(History.read(List.of(killed, receiver)).verdict().holds()).isFalse();
    History history = History.read(List.of(killed, receiver));
    assertThat(history.beyond()).isPositive();
    assertThat(history.verdict().unexpected()).isZero();
    assertThat(history.verdict().attempted()).isEqualTo(105);
    assertThat(history.verdict().recovered()).isEqualTo(history.beyond());
  }

  @Test
  void aFileThatIsThereIsNeverOverwritten() throws IOException {
    Path file = recorded("a", RUN);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> Ledger.recordedTo(file, RUN, ""))
        .withMessage("there is a history in " + file + " already");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/b: c?", "../../x", "0123456789"})
  void aNameMakesAFileInItsDirectory(String name) throws IOException {
    String longName = name.repeat(30);
    try (Ledger ledger = Ledger.recordedIn(directory.resolve("new"), longName)) {
      exchange(ledger, 0, 1);
      ledger.verdict(true);
    }
    List<Path> files;
    try (var found = Files.list(directory.resolve("new"))) {
      files = found.toList();
    }
    assertThat(files).hasSize(1).allMatch(file -> file.toString().endsWith(".history"));
    assertThat(History.read(files).parts().get(0).name()).isEqualTo(longName);
  }

  @Test
  void aDiskThatTakesNoMoreIsToldAtTheEndAndStopsNobody() throws IOException {
    OutputStream full =
        new OutputStream() {
          private int left = 200;

          @Override
          public void write(int value) throws IOException {
            if (left-- <= 0) {
              throw new IOException("no space left");
            }
          }
        };
    Ledger ledger = new Ledger(RUN, new HistoryWriter(full, "a full disk", RUN, ""));
    for (int i = 0; i < 100; i++) {
      exchange(ledger, i, 10_000);
    }
    assertThat(ledger.verdict(true).acked()).isEqualTo(1_000_000);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(ledger::close)
        .withMessage("the history in a full disk is not complete")
        .withStackTraceContaining("no space left");
  }

  @Test
  void aSlowDiskHoldsThreadsBackAndLosesNothing() throws Exception {
    Path file = directory.resolve("a");
    CountDownLatch released = new CountDownLatch(1);
    OutputStream slow =
        new FilterOutputStream(Files.newOutputStream(file)) {
          private boolean opened;

          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            if (opened) {
              awaitOnce();
            }
            opened = true;
            out.write(bytes, offset, length);
          }

          private void awaitOnce() {
            try {
              assertThat(released.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    int batches = 10 * Track.MOST_BYTES;
    AtomicInteger done = new AtomicInteger();
    HistoryWriter writer = new HistoryWriter(slow, file.toString(), RUN, "");
    Ledger ledger = new Ledger(RUN, writer);
    Thread sender =
        new Thread(
            () -> {
              for (int i = 0; i < batches; i++) {
                ledger.sender(0).attempted(2L * i, 1); // never where it is expected: two bytes
                done.incrementAndGet();
              }
            });
    sender.start();
    try {
      await(() -> done.get() >= Track.MOST_BYTES / 4 && sender.getState() == Thread.State.WAITING);
      assertThat(done.get()).isBetween(Track.MOST_BYTES / 4, Track.MOST_BYTES);
      sender.interrupt(); // must not let an event get lost
    } finally {
      released.countDown();
      sender.join(30_000);
    }
    ledger.close();
    assertThat(done.get()).isEqualTo(batches);
    assertThat(History.read(List.of(file)).verdict().attempted()).isEqualTo(batches);
  }

  @Test
  void whatIsRecordedAfterTheEndCountsOnlyLive() throws IOException {
    Path file = directory.resolve("a");
    Ledger ledger = Ledger.recordedTo(file, RUN, "");
    exchange(ledger, 0, 10);
    ledger.verdict(true);
    ledger.close();
    ledger.close();
    for (int i = 1; i < 100; i++) {
      exchange(ledger, i, 10_000); // more than a track would hold: nobody waits for a writer
    }
    assertThat(ledger.verdict(true).delivered()).isEqualTo(10 + 99 * 10_000);
    assertThat(History.read(List.of(file)).verdict().delivered()).isEqualTo(10);
  }

  /** A history of one sender's hundred messages, all received in batches of ten, and five cuts. */
  private Path recorded(String name, int run) throws IOException {
    Path file = directory.resolve(name);
    HistoryWriter writer = HistoryWriter.open(file, run, name);
    try (Ledger ledger = new Ledger(run, writer)) {
      for (int i = 0; i < 5; i++) {
        exchange(ledger, 0, 20);
        long size = Files.size(file);
        writer.call();
        await(() -> Files.size(file) > size + 50);
      }
      ledger.mark("done");
      ledger.verdict(true);
    }
    return file;
  }

  private static void await(Callable<Boolean> condition) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    try {
      while (!condition.call()) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        LockSupport.parkNanos(100_000);
      }
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void exchange(Ledger ledger, int sender, int messages) {
    SenderLog log = ledger.sender(sender);
    ReceiverLog receiver = ledger.newReceiver();
    for (int first = 0; first < messages; first += 10) {
      List<Message> batch = Bodies.messages(Math.min(10, messages - first));
      log.confirmed(log.stamp(batch, 1), batch.size());
      receiver.delivered(Bodies.deliveries(batch), time -> {});
      receiver.givenToAck(Bodies.deliveries(batch));
      receiver.acked(Bodies.deliveries(batch));
    }
  }
}
