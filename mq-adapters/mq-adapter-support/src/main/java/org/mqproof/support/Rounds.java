package org.mqproof.support;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acks in rounds: while the system's answer to one is awaited, further acks gather for the next.
 *
 * <p>Not thread-safe: guarded by the lock of the receiver's claims.
 *
 * @param <R> the acks of a round
 */
public final class Rounds<R> {

  private final Supplier<R> newRound;
  private R gathering;
  private @Nullable R underWay;

  /**
   * Starts with nothing gathered.
   *
   * @param newRound creates an empty round
   */
  public Rounds(Supplier<R> newRound) {
    this.newRound = newRound;
    gathering = newRound.get();
  }

  /**
   * Returns the round that gathers.
   *
   * @return to be added to
   */
  public R gathering() {
    return gathering;
  }

  /**
   * Whether an answer is awaited.
   *
   * @return true from {@link #next} or {@link #begin} to {@link #end}
   */
  public boolean isUnderWay() {
    return underWay != null;
  }

  /**
   * Whether the answer to a round is awaited.
   *
   * @param round any
   * @return true until it has ended or was abandoned
   */
  public boolean isUnderWay(R round) {
    return underWay == round;
  }

  /**
   * Writes what was gathered if no answer is awaited; else only if it is much, and then it gathers
   * on.
   *
   * @param isMuch whether not to wait with writing
   * @param write sends what of the round was not sent
   * @return a round to ask the answer for, or null
   */
  public @Nullable R next(boolean isMuch, Consumer<R> write) {
    R round = gathering;
    if (isMuch || underWay == null) {
      write.accept(round);
    }
    if (underWay != null) {
      return null;
    }
    gathering = newRound.get();
    begin(round);
    return round;
  }

  /**
   * Awaits the answer to a round that did not gather.
   *
   * @param round was written; no other one is under way
   */
  public void begin(R round) {
    underWay = round;
  }

  /** The round under way was answered. */
  public void end() {
    underWay = null;
  }

  /**
   * Drops every round.
   *
   * @return the one under way, if any, and the one that gathered
   */
  public List<R> abandon() {
    List<R> open = new ArrayList<>();
    if (underWay != null) {
      open.add(underWay);
    }
    open.add(gathering);
    underWay = null;
    gathering = newRound.get();
    return open;
  }
}
