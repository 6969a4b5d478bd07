package org.mqproof.jmh.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the whole machine did with its processor time: since its start, or between two moments. Only
 * Linux says so. Immutable.
 *
 * @param ticks processor time of all cores, in the kernel's unit; 0 if not known
 * @param stolenTicks of these, given to other machines by the host
 * @param nanos time that passed, nanoseconds
 * @param pressureNanos of it, time in which some thread waited for a core, nanoseconds; -1 if not
 *     known
 */
public record MachineTime(long ticks, long stolenTicks, long nanos, long pressureNanos) {

  /** No time at all. */
  public static final MachineTime NONE = new MachineTime(0, 0, 0, 0);

  private static final Path STAT = Path.of("/proc/stat");
  private static final Path PRESSURE = Path.of("/proc/pressure/cpu");

  /** In the kernel's line: user, nice, system, idle, iowait, irq, softirq, steal. */
  private static final int COUNTERS = 8;

  /** What the kernel has counted since the machine started. */
  public static MachineTime now() {
    return of(firstLine(STAT), firstLine(PRESSURE), System.nanoTime());
  }

  static MachineTime of(String stat, String pressure, long nanos) {
    long ticks = 0;
    long stolen = 0;
    List<String> counters = List.of(stat.strip().split(" +", -1));
    if (counters.size() > COUNTERS && counters.get(0).equals("cpu")) {
      for (int i = 1; i <= COUNTERS; i++) {
        stolen = Long.parseLong(counters.get(i));
        ticks += stolen;
      }
    }
    int total = pressure.indexOf("total=");
    long waited =
        pressure.startsWith("some ") && total > 0
            ? TimeUnit.MICROSECONDS.toNanos(
                Long.parseLong(pressure.substring(total + "total=".length()).strip()))
            : -1;
    return new MachineTime(ticks, stolen, nanos, waited);
  }

  private static String firstLine(Path file) {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      return ""; // not Linux, or a kernel without it: the row says that it is not known
    }
  }

  /** What came after an earlier reading. */
  public MachineTime since(MachineTime start) {
    return new MachineTime(
        ticks - start.ticks,
        stolenTicks - start.stolenTicks,
        nanos - start.nanos,
        pressureNanos < 0 ? -1 : pressureNanos - start.pressureNanos);
  }

  /** The sum of both. */
  public MachineTime plus(MachineTime other) {
    return new MachineTime(
        ticks + other.ticks,
        stolenTicks + other.stolenTicks,
        nanos + other.nanos,
        pressureNanos < 0 || other.pressureNanos < 0 ? -1 : pressureNanos + other.pressureNanos);
  }

  /** Share of the processor time that other machines got; null if not known. */
  @Nullable Double stealShare() {
    return ticks == 0 ? null : (double) stolenTicks / ticks;
  }

  /** Share of the time in which some thread waited for a core; null if not known. */
  @Nullable Double pressureShare() {
    return nanos == 0 || pressureNanos < 0 ? null : Math.min(1, (double) pressureNanos / nanos);
  }
}
