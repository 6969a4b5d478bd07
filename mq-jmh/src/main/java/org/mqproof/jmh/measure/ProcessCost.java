package org.mqproof.jmh.measure;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process has used: since its start, or between two moments. Immutable.
 *
 * @param cpuNanos CPU time of all threads, the JVM's own included, nanoseconds
 * @param allocatedBytes heap allocated by the threads that are alive; a thread that ends takes its
 *     count with it
 * @param gcMillis time the collectors took, milliseconds
 */
public record ProcessCost(long cpuNanos, long allocatedBytes, long gcMillis) {

  /** No cost at all. */
  public static final ProcessCost NONE = new ProcessCost(0, 0, 0);

  /** What this process has used since it started. */
  public static ProcessCost now() {
    long allocated = 0;
    // Not every JVM has these beans; one that has not is not measured, and says so by the cast.
    if (ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads) {
      for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
        allocated += bytes < 0 ? 0 : bytes; // -1: ended meanwhile
      }
    }
    long cpu = 0;
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      cpu = system.getProcessCpuTime();
    }
    long gc = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      gc += collector.getCollectionTime();
    }
    return new ProcessCost(cpu, allocated, gc);
  }

  /** What came after an earlier reading. */
  public ProcessCost since(ProcessCost start) {
    return new ProcessCost(
        cpuNanos - start.cpuNanos,
        allocatedBytes - start.allocatedBytes,
        gcMillis - start.gcMillis);
  }

  /** The sum of both. */
  public ProcessCost plus(ProcessCost other) {
    return new ProcessCost(
        cpuNanos + other.cpuNanos,
        allocatedBytes + other.allocatedBytes,
        gcMillis + other.gcMillis);
  }
}
