package org.mqproof.cluster.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Cleans up after this JVM, however it ends: a process of its own, to which this is the owner's
 * end. Thread-safe.
 */
public final class Guard implements AutoCloseable {

  private static final int SECONDS_TO_END = 40;

  private final Process process;

  /**
   * Starts the guard of a cluster's directory.
   *
   * @throws IOException if its JVM cannot be started
   */
  Guard(Path directory) throws IOException {
    // Alone, so that it needs nothing else of this JVM's class path.
    String program = GuardMain.class.getName();
    Path classes = directory.resolve("guard");
    Path file = classes.resolve(Java.pathOf(program));
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.write(file, Java.classFile(program));
    List<String> options =
        List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx16m", "-XX:-UsePerfData");
    process =
        Java.command(options, List.of(classes), program, List.of(directory.toString()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD) // nobody is left to read it
            .start();
  }

  /**
   * Makes sure that a process does not outlive the owner.
   *
   * @param node the process
   * @throws IOException if the guard is dead
   */
  public void watch(ProcessHandle node) throws IOException {
    tell(Long.toString(node.pid()));
  }

  /**
   * Makes sure that a command runs after the owner's end, however that comes; in the order in which
   * they are told, after the processes are dead.
   *
   * @param command no word of which has a tab or a line end in it
   * @throws IOException if the guard is dead
   */
  void atEnd(List<String> command) throws IOException {
    tell("\t" + String.join("\t", command));
  }

  private synchronized void tell(String line) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    input.flush();
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Lets the guard do what is left to do, and end. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      process.destroyForcibly(); // its end of the pipe is broken: it is as good as dead
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends by itself, its input is closed
    }
  }
}
