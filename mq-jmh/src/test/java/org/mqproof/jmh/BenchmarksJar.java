package org.mqproof.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs benchmarks.jar in a JVM of its own, with the systems of these tests beside those it has. */
final class BenchmarksJar {

  private BenchmarksJar() {}

  /**
   * What a run left.
   *
   * @param output of both streams
   */
  record Run(int exitCode, String output) {
    String lastLine() {
      return output.strip().lines().reduce("", (before, last) -> last);
    }
  }

  /**
   * Runs it to its end.
   *
   * @param results where it runs, and puts what it measured
   * @throws AssertionError if it does not end
   */
  static Run run(Path results, String... args) throws IOException, InterruptedException {
    return run(results, List.of(), args);
  }

  /** The same with options of its JVM. */
  static Run run(Path results, List<String> jvmOptions, String... args)
      throws IOException, InterruptedException {
    Path target = Path.of("target").toAbsolutePath();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Djmh.ignoreLock=true"); // other modules' builds may measure at the same time
    command.add("-Dmqproof.results=" + results);
    command.add("-Dmqproof.idleSeconds=1");
    command.add("-Xmx1g");
    // Its forks take these over too. All live for seconds, and nobody reads the numbers.
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-XX:+UseSerialGC");
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(
        target.resolve("benchmarks.jar")
            + System.getProperty("path.separator")
            + target.resolve("test-classes"));
    command.add(Main.class.getName());
    command.addAll(List.of(args));
    Path output = Files.createTempFile("benchmarks", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(results.toFile()) // where JMH puts the file of -rf
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(4, TimeUnit.MINUTES)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        Process unused = process.destroyForcibly();
        throw new AssertionError("still running:\n" + Files.readString(output));
      }
      return new Run(process.exitValue(), Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }
}
