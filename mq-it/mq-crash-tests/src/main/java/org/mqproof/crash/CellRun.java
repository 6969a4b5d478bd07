package org.mqproof.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.mqproof.ledger.Verdict;

/**
 * What one run of one cell of the fault matrix gave: one line of a file, {@code key=value} pairs
 * with tabs between them. Immutable.
 */
record CellRun(Map<String, String> values) {

  /** The system property that names the directory of the files, one per cell. */
  private static final String RESULTS_PROPERTY = "mqproof.results";

  private static final String RESULTS = "target/fault-matrix";

  CellRun {
    values = Map.copyOf(values);
  }

  /** Names a cell and a run of it. */
  static CellRun of(
      String system, String mode, String version, Fault fault, long seed, boolean promised) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("at", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    values.put("system", system);
    values.put("mode", mode);
    values.put("version", version);
    values.put("fault", fault.name());
    values.put("seed", Long.toString(seed));
    values.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    values.put("promised", Boolean.toString(promised));
    return new CellRun(values);
  }

  /** The same run, judged. */
  CellRun with(Verdict verdict, Map<CellTime, Duration> times, Map<String, Long> counts) {
    Map<String, String> judged = new LinkedHashMap<>(values);
    judged.put("confirmed", Long.toString(verdict.confirmed()));
    judged.put("unknown", Long.toString(verdict.unknown()));
    judged.put("recovered", Long.toString(verdict.recovered()));
    judged.put("duplicated", Long.toString(verdict.duplicated()));
    judged.put("lost", Long.toString(verdict.lost()));
    judged.put("delivered-after-ack", Long.toString(verdict.deliveredAfterAck()));
    judged.put("unexpected", Long.toString(verdict.unexpected()));
    judged.put("corrupt", Long.toString(verdict.corrupt()));
    judged.put("drained", Boolean.toString(verdict.drained()));
    judged.put("holds", Boolean.toString(verdict.holds()));
    counts.forEach((name, count) -> judged.put(name, Long.toString(count)));
    times.forEach((time, after) -> judged.put(key(time), Long.toString(after.toMillis())));
    return new CellRun(judged);
  }

  /** The same run, which ended before it could be judged. */
  CellRun failed(Throwable reason) {
    Map<String, String> failed = new LinkedHashMap<>(values);
    String text = reason.toString().replaceAll("\\s+", " ").strip();
    failed.put("failed", text.substring(0, Math.min(300, text.length())));
    return new CellRun(failed);
  }

  private static String key(CellTime time) {
    return time.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-millis";
  }

  /** The line of a file, without its end. */
  String line() {
    return String.join(
        "\t",
        values.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(value -> value.getKey() + "=" + value.getValue())
            .toList());
  }

  /** Reads what {@link #line} wrote. */
  static CellRun parse(String line) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : line.split("\t", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("not key=value: " + pair);
      }
      values.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return new CellRun(values);
  }

  static List<CellRun> read(Path file) throws IOException {
    return Files.readAllLines(file, UTF_8).stream().map(CellRun::parse).toList();
  }

  /** The directory of the files of the runs on this machine. */
  static Path directory() {
    return Path.of(System.getProperty(RESULTS_PROPERTY, RESULTS));
  }

  /** Adds this run to the file of its cell. */
  void append() throws IOException {
    String name = "%s-%s-%s".formatted(system(), mode(), fault()).replaceAll("[^A-Za-z0-9.]+", "-");
    Files.writeString(
        Files.createDirectories(directory()).resolve(name + ".tsv"),
        line() + "\n",
        UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  String system() {
    return text("system");
  }

  String mode() {
    return text("mode");
  }

  String version() {
    return text("version");
  }

  String fault() {
    return text("fault");
  }

  /** When it ended, in ISO 8601, so that later is greater. */
  String at() {
    return text("at");
  }

  /** The day, in UTC. */
  String day() {
    return at().substring(0, 10);
  }

  /** Which cell it is a run of. */
  String cell() {
    return "%s\t%s\t%s".formatted(system(), mode(), fault());
  }

  /** Whether the mode promises that nothing confirmed is lost. */
  boolean promised() {
    return Boolean.parseBoolean(text("promised"));
  }

  /** Why it was not judged; empty if it was. */
  Optional<String> failure() {
    return Optional.ofNullable(values.get("failed"));
  }

  /** A count of the verdict; 0 if there is none. */
  long count(String what) {
    @Nullable String count = values.get(what);
    return count == null ? 0 : Long.parseLong(count);
  }

  /** Whether it was judged, and holds. Older lines have the counts alone. */
  boolean holds() {
    @Nullable String judged = values.get("holds");
    if (failure().isEmpty() && judged != null) {
      return Boolean.parseBoolean(judged);
    }
    return failure().isEmpty()
        && Boolean.parseBoolean(text("drained"))
        && count("lost") + count("unexpected") + count("corrupt") == 0;
  }

  /** A time in milliseconds; empty if it was not seen. */
  OptionalLong millis(CellTime time) {
    @Nullable String millis = values.get(key(time));
    return millis == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(millis));
  }

  private String text(String key) {
    @Nullable String text = values.get(key);
    if (text == null) {
      throw new IllegalArgumentException("no " + key + " in " + line());
    }
    return text;
  }
}
