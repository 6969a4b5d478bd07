package org.mqproof.jmh.measure;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mqproof.report.Second;

/**
 * A trial, second by second, from what the {@link LatencyRecorder}s of all threads hand in.
 * Thread-safe.
 *
 * <p>A second whose samples are all in keeps its 99th percentiles and gives its histograms away, so
 * that memory is bounded by the seconds of one iteration, at most 0.4 MB each.
 */
public final class Timeline {

  /** What is timed. */
  public enum Kind {
    /** From the call of a send to its return, per batch. */
    SEND,
    /**
     * From the call of a send to the return of the receive that holds the message; of an open loop,
     * from the moment the send was due.
     */
    PROCESSING,
    /** Of an open loop: from the moment a send was due to its return, per batch. */
    RESPONSE,
    /** Of an open loop: how late the generator itself made a send, per batch. */
    LATENESS
  }

  /** What the samples of a moment count for. */
  public enum Phase {
    /** Counted, but not measured: warm-up, a prefill, a drain that is only there to empty. */
    UNMEASURED,
    /** Measured. */
    MEASURED,
    /**
     * After the window: what was sent in it and is received now is measured all the same, or the
     * slowest messages would be missing; the second is no measured second.
     */
    TAIL
  }

  /** Is given what was measured in one second, in order. */
  public interface Log {
    /** Takes what one second measured. */
    void second(Kind kind, long second, Distribution measured);
  }

  /** The study of 2017 took its percentiles per minute; a second shows what a minute hides. */
  public static final List<Integer> WINDOW_SECONDS = List.of(1, 60);

  /** Enough samples for a tail, and few enough to be of now. */
  private static final int LIVE_SECONDS = 10;

  private final long originNanos;
  private final Map<Kind, Distribution> measured = none();
  private final Map<Kind, Map<Integer, Windows>> windows = new EnumMap<>(Kind.class);
  private final TreeMap<Long, Open> open = new TreeMap<>();
  private final List<Second> done = new ArrayList<>();
  private long backlog;
  private long sent;
  private long received;

  /**
   * Starts at a moment.
   *
   * @param originNanos {@link System#nanoTime} at the start of second 0
   */
  public Timeline(long originNanos) {
    this.originNanos = originNanos;
  }

  long secondOf(long nanoTime) {
    return TimeUnit.NANOSECONDS.toSeconds(nanoTime - originNanos);
  }

  long endOf(long second) {
    return originNanos + TimeUnit.SECONDS.toNanos(second + 1);
  }

  /**
   * Takes in a part of a second.
   *
   * @param messages confirmed or received in it
   * @param times copied, and the caller's again afterwards
   */
  synchronized void add(Kind kind, long second, long messages, Distribution times, Phase phase) {
    Open at = open.computeIfAbsent(second, s -> new Open());
    if (kind == Kind.SEND) {
      at.sent += messages;
      sent += messages;
    } else if (kind == Kind.PROCESSING) {
      at.received += messages;
      received += messages;
    }
    at.measured &= phase == Phase.MEASURED;
    (phase == Phase.UNMEASURED ? at.outside : at.inside)
        .computeIfAbsent(kind, k -> new Distribution())
        .add(times);
  }

  /**
   * Closes every second: all recorders must have handed in what they had.
   *
   * @return what was measured since the last call; empty distributions if nothing was
   */
  public synchronized Map<Kind, Distribution> close(Log log) {
    Map<Kind, Distribution> closed = none();
    open.forEach(
        (second, at) -> {
          at.inside.forEach(
              (kind, times) -> {
                of(closed, kind).add(times);
                windows(kind).values().forEach(window -> window.add(second, times));
                log.second(kind, second, times);
              });
          append(second, at);
        });
    open.clear();
    closed.forEach((kind, times) -> of(measured, kind).add(times));
    return closed;
  }

  private static Map<Kind, Distribution> none() {
    Map<Kind, Distribution> none = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      none.put(kind, new Distribution());
    }
    return none;
  }

  /** The distribution of one kind. */
  public static Distribution of(Map<Kind, Distribution> map, Kind kind) {
    return Objects.requireNonNull(map.get(kind), kind::name);
  }

  private void append(long second, Open at) {
    Second last = done.isEmpty() ? null : done.get(done.size() - 1);
    long sent = at.sent;
    long received = at.received;
    backlog += sent - received;
    Long sendP99 = at.p99(Kind.SEND);
    Long processingP99 = at.p99(Kind.PROCESSING);
    boolean measuring = at.measured;
    if (last != null && last.second() == second) {
      // The second in which one iteration ended and the next began: the larger 99th percentile.
      done.remove(done.size() - 1);
      sent += last.sent();
      received += last.received();
      sendP99 = larger(sendP99, last.sendP99Nanos());
      processingP99 = larger(processingP99, last.processingP99Nanos());
      measuring &= last.measured();
    }
    done.add(
        new Second(
            1,
            Math.toIntExact(second),
            measuring,
            sent,
            received,
            sendP99,
            processingP99,
            backlog));
  }

  private static @Nullable Long larger(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return Math.max(a, b);
  }

  /**
   * A look while it runs.
   *
   * @param sent messages confirmed so far
   * @param received messages received so far
   * @param times of the last seconds of the iteration that runs, measured or not
   */
  public record Live(long sent, long received, Map<Kind, Distribution> times) {}

  /** What is known now; a second whose recorders have not handed in is missing. */
  public synchronized Live live() {
    Map<Kind, Distribution> times = none();
    open.descendingMap().values().stream()
        .limit(LIVE_SECONDS)
        .forEach(
            second -> {
              second.inside.forEach((kind, some) -> of(times, kind).add(some));
              second.outside.forEach((kind, some) -> of(times, kind).add(some));
            });
    return new Live(sent, received, times);
  }

  /** Everything that was measured so far and whose second is closed; not a copy. */
  public Distribution measured(Kind kind) {
    return of(measured, kind);
  }

  /** The tails of what was measured, by kind and by length of the window in seconds. */
  public synchronized Map<Kind, Map<Integer, List<Windows.Tail>>> tails() {
    Map<Kind, Map<Integer, List<Windows.Tail>>> tails = new EnumMap<>(Kind.class);
    windows.forEach(
        (kind, byLength) -> {
          Map<Integer, List<Windows.Tail>> of = new TreeMap<>();
          byLength.forEach((length, window) -> of.put(length, window.tails()));
          tails.put(kind, of);
        });
    return tails;
  }

  private Map<Integer, Windows> windows(Kind kind) {
    return windows.computeIfAbsent(
        kind,
        k -> {
          Map<Integer, Windows> byLength = new TreeMap<>();
          for (int length : WINDOW_SECONDS) {
            byLength.put(length, new Windows(length));
          }
          return byLength;
        });
  }

  /** All seconds in which something happened, in order. */
  public synchronized List<Second> seconds() {
    return List.copyOf(done);
  }

  private static final class Open {
    private long sent;
    private long received;
    private boolean measured = true;
    private final Map<Kind, Distribution> inside = new TreeMap<>();
    private final Map<Kind, Distribution> outside = new TreeMap<>();

    @Nullable Long p99(Kind kind) {
      Distribution times = inside.get(kind);
      if (times == null || times.count() == 0) {
        times = outside.get(kind);
      }
      return times == null || times.count() == 0 ? null : times.atPercentile(99);
    }
  }
}
