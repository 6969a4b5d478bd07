package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.mqproof.cluster.Cluster;

/**
 * What client and brokers held at one moment, from {@code /proc}, the JVMs themselves and the
 * cluster's directory. Immutable.
 *
 * @param values a value for each vital
 */
record Vitals(Map<Vital, Long> values) {

  /** Each third of a run has so many samples at least. */
  static final int LEAST_PER_THIRD = 3;

  private static final String SOCKET = "socket:";
  private static final int COMMAND_SECONDS = 30;

  /**
   * Measures; every node must be alive.
   *
   * @throws IOException if a process or a file cannot be read
   */
  static Vitals now(Cluster cluster) throws IOException, InterruptedException {
    Map<Vital, Long> values = new EnumMap<>(Vital.class);
    System.gc(); // what is only reachable from a finalizer or a cleaner goes with the second one
    System.gc();
    values.put(
        Vital.CLIENT_HEAP,
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10);
    values.put(Vital.CLIENT_THREADS, (long) ManagementFactory.getThreadMXBean().getThreadCount());
    List<String> own = openFiles(ProcessHandle.current());
    long sockets = own.stream().filter(name -> name.startsWith(SOCKET)).count();
    values.put(Vital.CLIENT_SOCKETS, sockets);
    values.put(Vital.CLIENT_FILES, own.size() - sockets);
    List<ProcessHandle> nodes =
        IntStream.rangeClosed(1, cluster.nodes())
            .mapToObj(cluster::process)
            .flatMap(node -> Stream.concat(Stream.of(node), node.descendants()))
            .toList();
    long memory = 0;
    long threads = 0;
    long theirs = 0;
    for (ProcessHandle node : nodes) {
      memory += memoryKib(node);
      threads += status(node, "Threads:");
      theirs += openFiles(node).stream().filter(name -> name.startsWith(SOCKET)).count();
    }
    values.put(Vital.BROKER_MEMORY, memory);
    values.put(Vital.BROKER_THREADS, threads);
    values.put(Vital.BROKER_SOCKETS, theirs);
    values.put(Vital.BROKER_DISK, diskKib(cluster.directory()));
    return new Vitals(values);
  }

  /**
   * What grew: the first third of the samples is left out, and the median of the last third is held
   * against that of the second.
   *
   * @param samples in their order
   * @return a sentence for each vital that is not flat
   * @throws AssertionError if there are too few samples to tell
   */
  static List<String> growing(List<Vitals> samples) {
    int third = samples.size() / 3;
    assertThat(third)
        .as("samples in a third of the run: let it run longer, -D%s=N", Soak.MINUTES_PROPERTY)
        .isGreaterThanOrEqualTo(LEAST_PER_THIRD);
    List<String> growing = new ArrayList<>();
    for (Vital vital : Vital.values()) {
      double before =
          median(samples.subList(samples.size() - 2 * third, samples.size() - third), vital);
      double after = median(samples.subList(samples.size() - third, samples.size()), vital);
      if (after > vital.most(before)) {
        growing.add(
            String.format(
                Locale.ROOT,
                "%s: %,.0f in the second third, %,.0f in the last, and %,.0f is the most",
                vital.words(),
                before,
                after,
                vital.most(before)));
      }
    }
    return growing;
  }

  private static double median(List<Vitals> samples, Vital vital) {
    long[] sorted = samples.stream().mapToLong(sample -> sample.of(vital)).sorted().toArray();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
  }

  long of(Vital vital) {
    return values.getOrDefault(vital, 0L);
  }

  /** Names of what a process has open, as {@code /proc} has them. */
  private static List<String> openFiles(ProcessHandle process) throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        try {
          names.add(Files.readSymbolicLink(file).toString());
        } catch (NoSuchFileException e) {
          // Closed meanwhile, as the listing itself is.
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return names;
  }

  private static long status(ProcessHandle process, String line) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
        .filter(each -> each.startsWith(line))
        .mapToLong(each -> Long.parseLong(each.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0); // threads of the kernel have no memory
  }

  /** A JVM collects, and says what is alive then; any other process has what is resident. */
  private static long memoryKib(ProcessHandle process) throws IOException, InterruptedException {
    Predicate<String> isJvm = command -> command.endsWith("/java");
    return process.info().command().filter(isJvm).isPresent()
        ? liveBytes(process) >> 10
        : status(process, "VmRSS:");
  }

  private static long liveBytes(ProcessHandle jvm) throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    String said = said(List.of(jcmd, Long.toString(jvm.pid()), "GC.class_histogram"));
    // Total       1234567       98765432
    return Arrays.stream(said.split("\n", -1))
        .filter(line -> line.startsWith("Total"))
        .mapToLong(line -> Long.parseLong(line.strip().split("\\s+", -1)[2]))
        .findFirst()
        .orElseThrow(() -> new IOException("jcmd says: " + said.strip()));
  }

  /** Blocks that are in use: some brokers make files far larger than what they write to them. */
  private static long diskKib(Path directory) throws IOException, InterruptedException {
    // It complains of files that are deleted meanwhile, and counts the rest.
    String said = said(List.of("du", "-sk", directory.toString()));
    return Long.parseLong(said.strip().replaceAll("\\s.*", ""));
  }

  /**
   * What a command says. Into a file: jcmd would wait for a reader in this JVM while this JVM,
   * whose vitals may be asked for, waits for jcmd to take the rest of them.
   */
  private static String said(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("vitals-", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS))
          .as("%s ends", command)
          .isTrue();
      return Files.readString(output);
    } finally {
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
