package org.mqproof.cluster.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.mqproof.cluster.ClusterException;

/** Runs commands of the operating system that take a moment. Thread-safe: no state. */
public final class Commands {

  private static final int CALL_SECONDS = 60;

  private Commands() {}

  /**
   * Runs a command to its end.
   *
   * @param command the program and its arguments
   * @param input what it reads, ASCII
   * @throws ClusterException if it fails, with what it said, or does not end in a minute
   */
  public static void run(List<String> command, String input) {
    runAll(List.of(command), input);
  }

  /**
   * Runs commands at the same time, each to its end, as {@link #run} does with one.
   *
   * @param commands the programs and their arguments
   * @param input what each of them reads, ASCII
   * @throws ClusterException as {@link #run} does
   */
  public static void runAll(List<List<String>> commands, String input) {
    List<Process> processes = new ArrayList<>();
    try {
      for (List<String> command : commands) {
        Process process = begin(command);
        processes.add(process);
        try (OutputStream in = process.getOutputStream()) {
          in.write(input.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
          // It ended before it read this, and says why.
        }
      }
      for (int i = 0; i < commands.size(); i++) {
        String said = end(processes.get(i));
        if (processes.get(i).exitValue() != 0) {
          throw new ClusterException(
              "%s says: %s".formatted(String.join(" ", commands.get(i)), said));
        }
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  /**
   * Starts a command, its error stream among its output.
   *
   * @param command the program and its arguments
   * @return the process, to be given to {@link #end}
   * @throws ClusterException if it cannot be started
   */
  public static Process begin(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    try {
      return builder.start();
    } catch (IOException e) {
      throw new ClusterException(command.get(0) + " cannot be run: " + e.getMessage(), e);
    }
  }

  /**
   * Waits for its end.
   *
   * @param process by {@link #begin}
   * @return what it said, a line or two
   * @throws ClusterException if it does not end in a minute
   */
  public static String end(Process process) {
    try {
      if (!process.waitFor(CALL_SECONDS, TimeUnit.SECONDS)) {
        throw new ClusterException("a command did not end in %d s".formatted(CALL_SECONDS));
      }
      return process
          .inputReader(StandardCharsets.US_ASCII)
          .lines()
          .reduce("", String::concat)
          .strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while a command ran", e);
    }
  }
}
