package org.mqproof.ledger;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mqproof.Ordering;
import org.mqproof.Outcome;
import org.roaringbitmap.RoaringBitmap;

/** Records in one ledger what the histories of a run hold. For one thread, once. */
final class Replay {

  private final Ledger ledger;
  private final List<Source> sources;
  private final boolean whole;
  private final @Nullable Expectations override;
  private final List<History.Mark> marks = new ArrayList<>();

  /** A file, and who sent and received in its process. */
  private static final class Source {
    final HistoryFile file;
    final List<ReceiverLog> receivers = new ArrayList<>();
    final Map<Integer, Sent> senders = new TreeMap<>();
    @Nullable Expectations expected;

    Source(HistoryFile file) {
      this.file = file;
    }
  }

  /** What one sender attempted in one process. */
  private static final class Sent {
    private final DenseSet attempted = new DenseSet();
    long last = -1;

    void add(long from, long to) {
      attempted.add(from, to, null);
      last = Math.max(last, to - 1);
    }

    boolean meets(Sent other) {
      return attempted.blocks().stream()
          .anyMatch(
              block ->
                  RoaringBitmap.intersects(attempted.copyOf(block), other.attempted.copyOf(block)));
    }
  }

  /**
   * Prepares.
   *
   * @param whole whether these are the histories of all processes, and receivers outlasted senders
   * @param override what the run is held to, whatever the histories say; null if they decide
   */
  Replay(List<HistoryFile> files, boolean whole, @Nullable Expectations override) {
    this.whole = whole;
    this.override = override;
    ledger = new Ledger(files.get(0).run());
    ledger.recordOrder();
    sources = files.stream().map(Source::new).toList();
  }

  History judge() throws IOException {
    for (Optional<Source> first = first(); first.isPresent(); first = first()) {
      Source source = first.get();
      for (HistoryFile.Chunk chunk : source.file.take().chunks()) {
        try {
          take(source, chunk);
        } catch (BufferUnderflowException | ArithmeticException | IllegalArgumentException e) {
          throw source.file.damaged(chunk.at(), "its events make no sense", e);
        }
      }
    }
    requireOneSenderEach();
    marks.sort(Comparator.comparing(History.Mark::at));
    long beyond = assumeAttempts();
    ledger.judgeBy(expected());
    if (sources.stream().anyMatch(s -> isOfVersion1(s) && !s.receivers.isEmpty())) {
      ledger.acksNotRecorded();
    }
    return new History(
        ledger.run(),
        sources.stream().map(Replay::part).toList(),
        List.copyOf(marks),
        beyond,
        ledger.verdict(drained()));
  }

  /** The file whose next cut is the earliest. */
  private Optional<Source> first() {
    return sources.stream()
        .filter(source -> source.file.next() != null)
        .min(Comparator.comparing(s -> Objects.requireNonNull(s.file.next()).until()));
  }

  private void take(Source source, HistoryFile.Chunk chunk) {
    ByteBuffer payload = chunk.payload();
    switch (chunk.type()) {
      case HistoryFormat.SENT -> takeSent(source, new Events(payload));
      case HistoryFormat.RECEIVED -> takeReceived(source, new Events(payload));
      case HistoryFormat.ODD -> takeOdd(source, new Events(payload));
      case HistoryFormat.MARK ->
          marks.add(
              new History.Mark(
                  source.file.time(HistoryFile.varint(payload)), HistoryFile.text(payload)));
      case HistoryFormat.EXPECTED -> {
        requireLaterThanVersion1(source);
        takeExpected(source, payload);
      }
      default -> throw new IllegalArgumentException("chunks have no type " + chunk.type());
    }
  }

  private void takeSent(Source source, Events events) {
    int number = events.subject();
    SenderLog log = ledger.sender(number);
    Sent sent = source.senders.computeIfAbsent(number, s -> new Sent());
    while (events.next()) {
      long from = events.from();
      int count = events.count();
      switch (events.kind()) {
        case HistoryFormat.ATTEMPTED -> {
          log.attempted(from, count);
          sent.add(from, events.to());
        }
        case HistoryFormat.CONFIRMED -> log.confirmed(from, count);
        case HistoryFormat.REJECTED ->
            log.failed(from, Collections.nCopies(count, Outcome.REJECTED));
        case HistoryFormat.UNKNOWN -> log.failed(from, Collections.nCopies(count, Outcome.UNKNOWN));
        default -> throw new IllegalArgumentException("a sender has no kind " + events.kind());
      }
    }
  }

  private static void takeExpected(Source source, ByteBuffer payload) {
    HistoryFile.varint(payload); // since when: for other readers
    long flags = HistoryFile.varint(payload);
    source.expected =
        new Expectations(
            (flags & HistoryFormat.ORDER_PER_SENDER) != 0 ? Ordering.PER_SENDER : Ordering.NONE,
            (flags & HistoryFormat.FAULTS) != 0,
            (flags & HistoryFormat.REDELIVERY) != 0);
  }

  private void takeReceived(Source source, Events events) {
    int sender = events.subject();
    while (events.next()) {
      if (events.kind() < HistoryFormat.DELIVERED) {
        requireLaterThanVersion1(source);
      }
      if (events.kind() == HistoryFormat.SHARED) {
        if (sources.size() == 1) { // else another process may have had a receiver all the time
          ledger.sender(sender).receipts().shared();
        }
        continue;
      }
      ReceiverLog log = receiver(source, events.receiver());
      switch (events.kind()) {
        case HistoryFormat.DELIVERED -> log.delivered(sender, events.from(), events.to());
        case HistoryFormat.GIVEN, HistoryFormat.ACKED, HistoryFormat.ACK_FAILED ->
            log.settle(events.kind(), sender, events.from(), events.to());
        default -> throw new IllegalArgumentException("a receiver has no kind " + events.kind());
      }
    }
  }

  private void takeOdd(Source source, Events events) {
    ReceiverLog log = receiver(source, events.subject());
    ByteBuffer payload = events.payload();
    while (payload.hasRemaining()) {
      byte kind = payload.get();
      switch (kind) {
        case HistoryFormat.CORRUPT ->
            log.addCorrupt(
                Math.toIntExact(HistoryFile.varint(payload)),
                payload.getInt(),
                payload.getInt(),
                payload.getLong());
        case HistoryFormat.FOREIGN ->
            log.addForeign(payload.getInt(), payload.getInt(), payload.getLong());
        case HistoryFormat.GAVE_BACK -> {
          requireLaterThanVersion1(source);
          log.gaveBack();
        }
        default -> throw new IllegalArgumentException("nothing odd is of kind " + kind);
      }
    }
  }

  private ReceiverLog receiver(Source source, int number) {
    if (number < 0 || number >= HistoryFormat.MOST_RECEIVERS) {
      throw new IllegalArgumentException("no receiver has number " + number);
    }
    while (source.receivers.size() <= number) {
      source.receivers.add(ledger.addReceiver());
    }
    return source.receivers.get(number);
  }

  /** A sequence number that two processes used hides the loss of one of its two messages. */
  private void requireOneSenderEach() {
    for (int i = 0; i < sources.size(); i++) {
      for (int j = i + 1; j < sources.size(); j++) {
        Source one = sources.get(i);
        Source other = sources.get(j);
        for (Map.Entry<Integer, Sent> sender : one.senders.entrySet()) {
          Sent same = other.senders.get(sender.getKey());
          if (same != null && sender.getValue().meets(same)) {
            throw new IllegalArgumentException(
                "sender %d of %s and of %s sent messages with the same sequence numbers: each sender of a run needs a number of its own"
                    .formatted(sender.getKey(), one.file.file(), other.file.file()));
          }
        }
      }
    }
  }

  /**
   * Counts as attempted what only a lost end of a history can have attempted: its stamp is intact,
   * and it comes after all that the sender's history has, if there is one.
   */
  private long assumeAttempts() {
    List<Source> cutOff = sources.stream().filter(source -> !source.file.ended()).toList();
    long assumed = 0;
    for (int number : whole && cutOff.isEmpty() ? List.<Integer>of() : ledger.senders()) {
      boolean somewhere = sources.stream().anyMatch(s -> s.senders.containsKey(number));
      OptionalLong last =
          cutOff.stream()
              .map(source -> source.senders.get(number))
              .filter(Objects::nonNull)
              .mapToLong(sent -> sent.last)
              .min();
      if (last.isPresent() || !somewhere) {
        assumed += ledger.sender(number).assumeAttempted(last.orElse(-1));
      }
    }
    return assumed;
  }

  private boolean drained() {
    if (!whole) {
      return false;
    }
    boolean said = false;
    for (Source source : sources) {
      boolean drained = source.file.judged() == HistoryFormat.DRAINED;
      if (!source.file.ended() || (source.file.receivers() > 0 && !drained)) {
        return false;
      }
      said |= drained;
    }
    return said;
  }

  /** What all processes that say it hold the run to. */
  private Expectations expected() {
    if (override != null) {
      return override;
    }
    Expectations all =
        sources.stream()
            .map(source -> source.expected)
            .filter(Objects::nonNull)
            .reduce(Expectations::and)
            .orElse(Expectations.AT_LEAST_ONCE);
    // Version 1 has no expectations, and marks for faults alone.
    boolean struck = !marks.isEmpty() && sources.stream().anyMatch(Replay::isOfVersion1);
    return struck ? all.withFaults() : all;
  }

  /** The version stands before the first checksum. */
  private static void requireLaterThanVersion1(Source source) {
    if (isOfVersion1(source)) {
      throw new IllegalArgumentException("version 1 has nothing like it");
    }
  }

  private static boolean isOfVersion1(Source source) {
    return source.file.version() == HistoryFormat.VERSION_1;
  }

  private static History.Part part(Source source) {
    HistoryFile file = source.file;
    return new History.Part(
        file.file(), file.name(), file.started(), file.until(), file.ended(), file.leftOut());
  }
}
