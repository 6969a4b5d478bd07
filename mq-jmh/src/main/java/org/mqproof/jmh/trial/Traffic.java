package org.mqproof.jmh.trial;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.Mq;
import org.mqproof.jmh.load.BatchSizes;
import org.mqproof.jmh.load.PacedSending;
import org.mqproof.jmh.load.Receiving;
import org.mqproof.jmh.load.Schedule;
import org.mqproof.jmh.load.SendTimes;
import org.mqproof.jmh.load.Sending;
import org.mqproof.jmh.load.TrialParams;
import org.mqproof.jmh.measure.LatencyRecorder;
import org.mqproof.jmh.measure.NanoClock;
import org.mqproof.jmh.measure.Timeline;
import org.mqproof.ledger.Ledger;

/**
 * The senders and receivers of a trial, and what they counted together. They are dealt out to the
 * queues in turn. Thread-safe.
 */
final class Traffic {

  private final Mq mq;
  private final List<String> queues;
  private final TrialParams params;
  private final Leftovers leftovers;
  private final @Nullable Ledger ledger;
  private final Timeline timeline;

  private final List<Sending> senders = new CopyOnWriteArrayList<>();
  private final List<PacedSending> paced = new CopyOnWriteArrayList<>();
  private final List<Receiving> receivers = new CopyOnWriteArrayList<>();

  Traffic(
      Mq mq,
      List<String> queues,
      TrialParams params,
      Leftovers leftovers,
      @Nullable Ledger ledger,
      Timeline timeline) {
    this.mq = mq;
    this.queues = queues;
    this.params = params;
    this.leftovers = leftovers;
    this.ledger = ledger;
    this.timeline = timeline;
  }

  /** Opens a sender, with or without a window as the parameters say. */
  Sending openSender() {
    return openSender(params.batch(), params.async() ? params.window() : 0, false);
  }

  /** Opens a sender that fills the queue before a measurement: large batches, many under way. */
  Sending openFiller() {
    return openSender(new BatchSizes(100, 100), 64, false);
  }

  /** Opens a sender that sends by a schedule. */
  synchronized PacedSending openPacedSender() {
    int number = senders.size();
    PacedSending one =
        new PacedSending(
            openSender(params.batch(), params.async() ? params.window() : 0, true),
            new Schedule(params.arrivals(), params.rate(), params.batch(), number),
            new LatencyRecorder(timeline, Timeline.Kind.LATENESS),
            NanoClock::system);
    paced.add(one);
    return one;
  }

  private synchronized Sending openSender(BatchSizes batch, int window, boolean scheduled) {
    int number = senders.size();
    SendTimes times =
        new SendTimes(
            new LatencyRecorder(timeline, Timeline.Kind.SEND),
            scheduled ? new LatencyRecorder(timeline, Timeline.Kind.RESPONSE) : null);
    var log = ledger == null ? null : ledger.sender(number);
    Sending sending =
        Sending.open(mq, queue(number), log, number, batch, params.bodyBytes(), window, times);
    senders.add(sending);
    return sending;
  }

  synchronized Receiving openReceiver() {
    String queue = queue(receivers.size());
    var log = ledger == null ? null : ledger.newReceiver();
    Receiving receiving =
        new Receiving(
            () -> mq.receiver(queue),
            log,
            params.receiveMax(),
            leftovers.measuresBothSides(),
            TimeUnit.MICROSECONDS.toNanos(params.workMicros()),
            params.awaitAcks(),
            params.dropPercent() / 100.0,
            new LatencyRecorder(timeline, Timeline.Kind.PROCESSING));
    receivers.add(receiving);
    return receiving;
  }

  private String queue(int number) {
    return queues.get(number % queues.size());
  }

  /** Refuses queues that nobody empties. */
  void requireReceivers() {
    if (leftovers.measuresBothSides() && receivers.size() < queues.size()) {
      throw new IllegalStateException(
          "%d receivers cannot empty %d queues; add -tg SENDERS,RECEIVERS"
              .formatted(receivers.size(), queues.size()));
    }
  }

  List<PacedSending> paced() {
    return paced;
  }

  List<Receiving> receivers() {
    return receivers;
  }

  /** Sender threads. */
  int senders() {
    return senders.size();
  }

  /** Messages submitted to senders and not known to have failed. */
  long submitted() {
    long sum = 0;
    for (Sending sending : senders) {
      sum += sending.submitted();
    }
    return sum;
  }

  long confirmed() {
    return senders.stream().mapToLong(Sending::confirmed).sum();
  }

  long received() {
    long sum = 0;
    for (Receiving receiving : receivers) {
      sum += receiving.received();
    }
    return sum;
  }

  long acked() {
    long sum = 0;
    for (Receiving receiving : receivers) {
      sum += receiving.acked();
    }
    return sum;
  }

  /** Messages that are still to come, whatever was written off. */
  long left() {
    return submitted() - received() + dropped();
  }

  /** Deliveries that have to come again, as nobody acked them. */
  long dropped() {
    long sum = 0;
    for (Receiving receiving : receivers) {
      sum += receiving.dropped();
    }
    return sum;
  }

  /** Time for which the backlog held senders back, of all together, nanoseconds. */
  long heldNanos() {
    return senders.stream().mapToLong(Sending::heldNanos).sum();
  }

  /** When the last message came, as {@link System#nanoTime}. */
  long lastReceivedNanos() {
    return receivers.stream().mapToLong(Receiving::lastReceivedNanos).max().orElseThrow();
  }

  /** When the last ack completed, as {@link System#nanoTime}. */
  long lastAckedNanos() {
    return receivers.stream().mapToLong(Receiving::lastAckedNanos).max().orElseThrow();
  }

  long failedSends() {
    return senders.stream().mapToLong(Sending::failed).sum();
  }

  TrialFile.Failures failures() {
    return new TrialFile.Failures(
        failedSends(),
        senders.stream().map(Sending::lastFailure).filter(Objects::nonNull).findAny().orElse(null),
        receivers.stream().mapToLong(Receiving::failedReceives).sum(),
        receivers.stream().mapToLong(Receiving::failedAcks).sum());
  }

  /** Waits for the outcomes of all sends, and closes the senders. */
  void closeSenders() throws InterruptedException {
    paced.forEach(PacedSending::giveUp);
    for (Sending sending : senders) {
      sending.settle();
      sending.close();
    }
  }

  /** Completes the acks, and closes the receivers. */
  void closeReceivers() {
    for (Receiving receiving : receivers) {
      receiving.close(); // completes the acks
      receiving.flush();
    }
  }
}
