package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child JVM that talks to this one in lines on its standard output, to be killed with SIGKILL. It
 * ends when its standard input does, so none outlives this JVM. Thread-safe.
 */
final class ChildJvm implements AutoCloseable {

  /** Ends every line, so that one cut short by the kill is not taken for a whole one. */
  static final String END = " .";

  private static final int SIGKILL_EXIT = 128 + 9;

  private final Process process;
  private final Thread reader;

  /**
   * Starts a main class of these tests with this JVM's class path.
   *
   * @param arguments arguments of the main class; the settings follow, each as {@code key=value}
   * @param lines is given each whole line, without its end, on a thread of its own
   */
  ChildJvm(
      Class<?> main, List<String> arguments, Map<String, String> settings, Consumer<String> lines)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1"); // it lives for seconds
    command.add("-XX:-UsePerfData"); // its file would outlive SIGKILL
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    settings.forEach((key, value) -> command.add(key + "=" + value));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    reader = new Thread(() -> read(process.inputReader(), lines), main.getSimpleName());
    reader.setDaemon(true);
    reader.start();
  }

  private static void read(BufferedReader output, Consumer<String> lines) {
    try {
      String line = output.readLine();
      while (line != null) {
        if (line.endsWith(END)) {
          lines.accept(line.substring(0, line.length() - END.length()));
        }
        line = output.readLine();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it with SIGKILL and waits until it is gone and all it said has been read. */
  void kill() throws InterruptedException {
    assertThat(process.isAlive()).as("the child lives until it is killed").isTrue();
    process.toHandle().destroyForcibly(); // the Process itself would also close the unread output
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).as("the child is gone").isTrue();
    assertThat(process.exitValue()).as("exit status of SIGKILL").isEqualTo(SIGKILL_EXIT);
    reader.join(10_000);
    assertThat(reader.isAlive()).as("the child's output has ended").isFalse();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
