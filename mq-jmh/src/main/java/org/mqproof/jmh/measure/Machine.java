package org.mqproof.jmh.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.mqproof.report.Environment;

/** Looks at the machine a run takes place on. Stateless, thread-safe. */
public final class Machine {

  private static final String UNKNOWN = "unknown";

  private Machine() {}

  /**
   * Describes the machine and the measuring JVM.
   *
   * @param setup one sentence on what ran where
   * @param brokers configuration of the clusters, by system and file
   * @param jvmArgs of the forks; what names a path or only serves this harness is left out
   */
  public static Environment environment(
      Instant startedAt,
      String setup,
      Map<String, Map<String, String>> brokers,
      List<String> jvmArgs) {
    return new Environment(
        startedAt.truncatedTo(ChronoUnit.SECONDS).toString(),
        setup,
        cpuModel(),
        Runtime.getRuntime().availableProcessors(),
        memoryBytes(),
        Disks.of(Path.of("/sys/block"), Path.of(System.getProperty("java.io.tmpdir"))),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor") + " " + System.getProperty("java.runtime.version"),
        jvmArgs.stream()
            .filter(arg -> !arg.startsWith("-Dmqproof.") && !arg.contains("/"))
            .toList(),
        brokers,
        build("version"),
        build("commit"));
  }

  private static String cpuModel() {
    Path cpuinfo = Path.of("/proc/cpuinfo");
    if (Files.isReadable(cpuinfo)) {
      try (Stream<String> lines = Files.lines(cpuinfo)) {
        return lines
            .filter(line -> line.startsWith("model name"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse(System.getProperty("os.arch"));
      } catch (IOException e) {
        return UNKNOWN; // the row says so; no reason to lose a measurement
      }
    }
    return System.getProperty("os.arch");
  }

  private static long memoryBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : 0;
  }

  /** What the build wrote into the jar. */
  private static String build(String key) {
    Properties build = new Properties();
    try (var in = Machine.class.getResourceAsStream("build.properties")) {
      if (in != null) {
        build.load(in);
      }
    } catch (IOException e) {
      return UNKNOWN;
    }
    String value = build.getProperty(key, UNKNOWN);
    return value.isBlank() || value.startsWith("$") ? UNKNOWN : value;
  }
}
