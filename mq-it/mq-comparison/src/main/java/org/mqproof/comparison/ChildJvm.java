package org.mqproof.comparison;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A child JVM of the same installation, gone with all it started when it is closed. */
final class ChildJvm implements AutoCloseable {

  private final Process process;

  /**
   * Starts it.
   *
   * @param options of the JVM, then its class path, main class and arguments
   * @param errorsApart whether its standard error stream is passed through, or is part of its lines
   */
  ChildJvm(List<String> options, boolean errorsApart) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder
        .environment()
        .keySet()
        .removeAll(List.of("CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    if (errorsApart) {
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    } else {
      builder.redirectErrorStream(true);
    }
    process = builder.start();
  }

  Process process() {
    return process;
  }

  /** Hands over each line of its standard output, until that ends. */
  void readLines(Consumer<String> to) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        to.accept(line);
      }
    }
  }

  /** Whether it ends in this time, with exit status 0. */
  boolean succeeds(Duration bound) throws InterruptedException {
    return process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0;
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
