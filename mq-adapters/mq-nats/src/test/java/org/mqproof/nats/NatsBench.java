package org.mqproof.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.mqproof.comparison.Rate;

/**
 * The vendor's own tool, {@code nats bench}, a program of Go's: {@code go install
 * github.com/nats-io/natscli/nats@v0.5.0}. The environment variable {@value #PROGRAM} says where it
 * is. Thread-safe: no state.
 */
final class NatsBench {

  static final String PROGRAM = "NATSCLI";

  private static final Pattern RATE = Pattern.compile("stats: ([\\d,]+) msgs/sec");
  private static final int CPU_INTERVAL_MILLIS = 50;

  private NatsBench() {}

  /**
   * Runs it to its end.
   *
   * @param settings of the adapter, which say where the servers are and who connects
   * @param messages how many it sends or receives
   * @param arguments those behind {@code nats bench js}
   * @return what it printed, of the whole run, and its CPU time; what it allocates is unknown
   */
  static Rate run(Map<String, String> settings, int messages, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(requireNonNull(System.getenv(PROGRAM), PROGRAM), "bench", "js"));
    command.addAll(arguments);
    command.addAll(List.of("--msgs=" + messages, "--no-progress", "--no-context"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.put("NATS_URL", requireNonNull(settings.get("servers"), "servers"));
    environment.put("NATS_USER", settings.getOrDefault("username", ""));
    environment.put("NATS_PASSWORD", settings.getOrDefault("password", ""));
    Process process = builder.start();
    try {
      CompletableFuture<Duration> cpu = CompletableFuture.supplyAsync(() -> cpu(process));
      StringBuilder printed = new StringBuilder();
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
        lines.lines().forEach(line -> printed.append(line).append('\n'));
      }
      Matcher rate = RATE.matcher(printed);
      if (process.waitFor() != 0 || !rate.find()) {
        throw new IOException("nats bench failed: " + printed);
      }
      return new Rate(
          Double.parseDouble(rate.group(1).replace(",", "")),
          cpu.join().toNanos() / 1e3 / messages,
          Double.NaN);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Its CPU time a moment before it ended. */
  private static Duration cpu(Process process) {
    Duration last = Duration.ZERO;
    try {
      do {
        last = process.info().totalCpuDuration().orElse(last);
      } while (!process.waitFor(CPU_INTERVAL_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return last;
  }
}
