package org.mqproof.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One process of a cluster, most often a node: a command that can be started, killed, paused and
 * started again. Thread-safe; nothing here waits longer than 10 s.
 */
final class NodeProcess {

  private static final int SECONDS_TO_DIE = 10;
  private static final int LOG_LINES_SHOWN = 20;

  private final String name;
  private final ProcessBuilder command;
  private final Path log;
  private @Nullable Process process;
  private boolean paused;
  private long logBytesBefore;

  /**
   * Starts nothing yet.
   *
   * @param name what it is, for messages: "node 1"
   * @param command what to run
   * @param log gets both output streams, appended over restarts
   */
  NodeProcess(String name, ProcessBuilder command, Path log) {
    this.name = name;
    this.log = log;
    this.command =
        command
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
  }

  /**
   * Starts the process. It must wait for a line on its standard input before it does anything that
   * needs cleaning up; it gets that line only once it is watched.
   *
   * @param guard told of the process first, so that there is no moment in which it runs unwatched
   * @throws IllegalStateException if it is not dead
   */
  synchronized void start(Guard guard) {
    if (isAlive()) {
      throw new IllegalStateException(name + " is not dead");
    }
    paused = false;
    try {
      logBytesBefore = Files.exists(log) ? Files.size(log) : 0;
      Process started = command.start();
      process = started;
      guard.watch(started.toHandle());
      try (OutputStream input = started.getOutputStream()) {
        input.write("go\n".getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      killIfAlive();
      throw new ClusterException("cannot start " + name + ":\n" + lastLogLines(), e);
    }
  }

  synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Whether it can answer: neither dead nor paused. */
  synchronized boolean isRunning() {
    return isAlive() && !paused;
  }

  synchronized ProcessHandle handle() {
    if (process == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return process.toHandle();
  }

  /** Kills it with SIGKILL, which a paused process does not survive either. */
  synchronized void kill() {
    if (!isAlive()) {
      throw new IllegalStateException(name + " is dead already");
    }
    killIfAlive();
  }

  /** Sends SIGKILL and does not wait, so that several nodes can die in the same instant. */
  synchronized void signalKill() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  synchronized void killIfAlive() {
    Process victim = process;
    if (victim == null) {
      return;
    }
    victim.destroyForcibly();
    if (!ends(victim)) {
      throw new ClusterException("%s outlived SIGKILL by %d s".formatted(name, SECONDS_TO_DIE));
    }
    paused = false;
  }

  synchronized void pause() {
    if (!isAlive() || paused) {
      throw new IllegalStateException(name + " is " + (paused ? "paused" : "dead"));
    }
    signal("-STOP");
    paused = true;
  }

  synchronized void resume() {
    if (!isAlive() || !paused) {
      throw new IllegalStateException(name + " is not paused");
    }
    signal("-CONT");
    paused = false;
  }

  synchronized void resumeIfPaused() {
    if (isAlive() && paused) {
      resume();
    }
  }

  /** Java can end a process but not stop it; the system's own kill command can. */
  private void signal(String option) {
    try {
      Process kill =
          new ProcessBuilder("kill", option, Long.toString(handle().pid()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!ends(kill) || kill.exitValue() != 0) {
        throw new ClusterException("'kill %s' of %s failed".formatted(option, name));
      }
    } catch (IOException e) {
      throw new ClusterException(name + " cannot be paused here: there is no 'kill' command", e);
    }
  }

  private static boolean ends(Process process) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_DIE);
    try {
      while (true) { // to its end even if interrupted: half a fault would be worse than a short
        // wait
        try {
          return process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What the process last started, dead or alive, has written to its log; empty before that. */
  synchronized String logOfThisRun() {
    if (process == null) {
      return "";
    }
    try {
      byte[] bytes = Files.readAllBytes(log);
      int before = Math.toIntExact(logBytesBefore);
      return new String(bytes, before, bytes.length - before, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the log of " + name, e);
    }
  }

  /** The end of the node's log, for the text of an error. */
  String lastLogLines() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
      return String.join(
          "\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }
}
