package org.mqproof.jmh.measure;

/**
 * Records the latencies and the messages of one thread, and hands them to the {@link Timeline}
 * whenever a second has passed.
 *
 * <p><b>Range</b>: every {@code long}, in nanoseconds; times below zero are kept apart and counted,
 * never clamped or dropped. <b>Precision</b>: three significant digits, so 0.1 %. <b>Size</b>:
 * grows with the largest value, about 200 KB at 10 s; handing in merges without loss. <b>Cost</b>:
 * a comparison, an index and an increment, no lock and no atomic operation but once a second.
 *
 * <p>Not thread-safe: one recorder, one thread; whoever lets several threads record guards it with
 * a lock of his own.
 */
public final class LatencyRecorder {

  private final Timeline timeline;
  private final Timeline.Kind kind;
  private final Distribution times = new Distribution();
  private Timeline.Phase phase = Timeline.Phase.UNMEASURED;
  private long messages;
  private long second;
  private long secondEndsNanos;

  /** Records times of one kind for one thread. */
  public LatencyRecorder(Timeline timeline, Timeline.Kind kind) {
    this.timeline = timeline;
    this.kind = kind;
    enter(System.nanoTime());
  }

  /** Hands in what there is, and starts a phase. */
  public void begin(Timeline.Phase phase) {
    flush();
    this.phase = phase;
  }

  /**
   * Counts messages at a moment.
   *
   * @param nowNanos {@link System#nanoTime}, taken by the caller anyway
   * @param count messages confirmed or received
   */
  public void count(long nowNanos, long count) {
    if (nowNanos - secondEndsNanos >= 0) {
      handIn();
      enter(nowNanos);
    }
    messages += count;
  }

  /**
   * Records samples of one length, that belong to the moment given to {@link #count} last.
   *
   * @param nanos signed
   * @param samples how many
   */
  public void record(long nanos, long samples) {
    times.record(nanos, samples);
  }

  /** Hands in what there is. */
  public void flush() {
    handIn();
    enter(System.nanoTime());
  }

  private void handIn() {
    if (messages > 0 || times.count() > 0) {
      timeline.add(kind, second, messages, times, phase);
      messages = 0;
      times.reset();
    }
  }

  private void enter(long nowNanos) {
    second = timeline.secondOf(nowNanos);
    secondEndsNanos = timeline.endOf(second);
  }
}
