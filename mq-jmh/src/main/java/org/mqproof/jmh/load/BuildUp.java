package org.mqproof.jmh.load;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Lets messages pile up before the receivers begin, and takes the time until the queue is empty
 * again while the senders go on. Thread-safe: receivers ask it before every receive.
 */
public final class BuildUp {

  /** What is left of the backlog when it counts as drained: the senders go on, so not nothing. */
  private static final double DRAINED_SHARE = 0.01;

  private final long messages;
  private final LongSupplier sent;
  private final LongSupplier received;
  private final LongSupplier nanoTime;
  private final List<Drained> drained = new ArrayList<>();

  private volatile State state = State.OFF;
  private long beganNanos;
  private long builtNanos;
  private long builtBacklog;
  private long sentBefore;
  private long receivedBefore;
  private long iterations;

  private enum State {
    OFF,
    BUILDING,
    DRAINING
  }

  /**
   * One backlog that was built and drained in one iteration.
   *
   * @param buildNanos from the start of the iteration until it was there
   * @param drainNanos from then until it was gone
   * @param sent messages sent in that time
   * @param received messages received in that time
   */
  public record Drained(long buildNanos, long drainNanos, long sent, long received) {}

  /**
   * A backlog to be.
   *
   * @param messages how large; 0 for none
   * @param sent messages handed to senders so far
   * @param received messages received so far
   * @param nanoTime as {@link System#nanoTime}
   */
  public BuildUp(long messages, LongSupplier sent, LongSupplier received, LongSupplier nanoTime) {
    this.messages = messages;
    this.sent = sent;
    this.received = received;
    this.nanoTime = nanoTime;
  }

  /** Starts an iteration with an empty queue. */
  public synchronized void begin(boolean measured) {
    if (messages > 0) {
      iterations += measured ? 1 : 0;
      beganNanos = nanoTime.getAsLong();
      sentBefore = sent.getAsLong();
      receivedBefore = received.getAsLong();
      state = measured ? State.BUILDING : State.OFF;
    }
  }

  /** Whether receivers have to wait still. */
  public boolean holdsReceivers() {
    return state != State.OFF && update() == State.BUILDING;
  }

  private synchronized State update() {
    long now = nanoTime.getAsLong();
    long backlog =
        (state == State.DRAINING ? builtBacklog : 0)
            + sent.getAsLong()
            - sentBefore
            - (received.getAsLong() - receivedBefore);
    if (state == State.BUILDING && backlog >= messages) {
      state = State.DRAINING;
      builtNanos = now;
      // From here on the two differ by the backlog that is left, which begins as what is there.
      builtBacklog = backlog;
      sentBefore = sent.getAsLong();
      receivedBefore = received.getAsLong();
    } else if (state == State.DRAINING && backlog <= DRAINED_SHARE * messages) {
      state = State.OFF;
      drained.add(
          new Drained(
              builtNanos - beganNanos,
              now - builtNanos,
              sent.getAsLong() - sentBefore,
              received.getAsLong() - receivedBefore));
    }
    return state;
  }

  /** Ends an iteration: what was not drained by then is not among {@link #drained}. */
  public synchronized void end() {
    state = State.OFF;
  }

  /** The backlogs that were built and drained within their iteration. */
  public synchronized List<Drained> drained() {
    return List.copyOf(drained);
  }

  /** Measured iterations that were to build one. */
  public synchronized long iterations() {
    return iterations;
  }
}
