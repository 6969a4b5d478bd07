package org.mqproof.comparison;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * What a process has used up to a moment. Immutable.
 *
 * @param nanos when, as {@link System#nanoTime()} of this JVM
 * @param cpuNanos CPU time of all its threads, those that compile and collect included
 * @param allocatedBytes what it has allocated on the Java heap
 * @param allocatedNanos when that was known; of a child JVM this is its last garbage collection
 */
public record Usage(long nanos, long cpuNanos, long allocatedBytes, long allocatedNanos) {

  /**
   * Of this process, now. Threads that have ended take what they allocated with them.
   *
   * @return what it has used
   */
  public static Usage ofThisProcess() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    // -1 for a thread that has ended since it was listed.
    long allocated =
        Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
            .filter(bytes -> bytes > 0)
            .sum();
    long now = System.nanoTime();
    return new Usage(now, system.getProcessCpuTime(), allocated, now);
  }
}
