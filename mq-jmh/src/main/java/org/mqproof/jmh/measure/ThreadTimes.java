package org.mqproof.jmh.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * CPU time of each thread of this process while it was measured. A thread that ended meanwhile is
 * not counted. For one thread at a time.
 */
public final class ThreadTimes {

  /**
   * The thread that ran for longest.
   *
   * @param name the thread's; empty if nothing is known
   * @param nanos its CPU time, nanoseconds
   */
  public record Busiest(String name, long nanos) {

    /** Of a process that nobody looked at. */
    public static final Busiest UNKNOWN = new Busiest("", 0);

    /** The times of two forks together, under the name of the busier thread. */
    public Busiest plus(Busiest other) {
      return new Busiest(nanos >= other.nanos ? name : other.name, nanos + other.nanos);
    }
  }

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Map<Long, Long> started = new HashMap<>();
  private final Map<Long, Long> used = new HashMap<>();

  /** Counts from now on. */
  public void start() {
    started.clear();
    if (threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()) {
      for (long id : threads.getAllThreadIds()) {
        started.put(id, threads.getThreadCpuTime(id));
      }
    }
  }

  /** Adds what was used since it was started. */
  public void stop() {
    started.forEach(
        (id, nanos) -> {
          long now = threads.getThreadCpuTime(id);
          if (now > nanos && nanos >= 0) { // -1: ended meanwhile
            used.merge(id, now - nanos, Long::sum);
          }
        });
    started.clear();
  }

  /** The busiest of the threads that are alive. */
  public Busiest busiest() {
    return used.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(most -> new Busiest(nameOf(most.getKey()), most.getValue()))
        .orElse(Busiest.UNKNOWN);
  }

  private String nameOf(long id) {
    ThreadInfo thread = threads.getThreadInfo(id);
    return thread == null ? "a thread that has ended" : thread.getThreadName();
  }
}
