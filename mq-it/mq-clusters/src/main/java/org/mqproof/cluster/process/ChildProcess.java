package org.mqproof.cluster.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.mqproof.cluster.ClusterException;

/**
 * A process of a cluster that is a child of this JVM, and the processes that it has started itself,
 * which share its fate. Thread-safe, as {@link NodeProcess} is.
 */
final class ChildProcess extends NodeProcess {

  private static final int SECONDS_TO_STOP = 10;
  private static final long STOP_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ProcessBuilder command;
  private final Path log;
  private volatile long logBytesBefore;
  private volatile List<ProcessHandle> killed = List.of();

  /**
   * Starts nothing yet.
   *
   * @param name what it is, for messages: "node 1"
   * @param command what to run; it must wait for a line on its standard input before it does
   *     anything that needs cleaning up, and gets that line only once it is watched
   * @param log gets both output streams, appended over restarts
   */
  ChildProcess(String name, ProcessBuilder command, Path log) {
    super(name);
    this.log = log;
    this.command =
        command
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
  }

  @Override
  protected ProcessHandle launch(Guard guard) {
    awaitDead(killed);
    try {
      logBytesBefore = Files.exists(log) ? Files.size(log) : 0;
      Process started = command.start();
      try {
        guard.watch(started.toHandle());
        try (OutputStream input = started.getOutputStream()) {
          input.write("go\n".getBytes(StandardCharsets.US_ASCII));
        }
        return started.toHandle();
      } catch (IOException e) {
        started.destroyForcibly();
        throw e;
      }
    } catch (IOException e) {
      throw new ClusterException("cannot start " + name + ":\n" + lastLogLines(), e);
    }
  }

  @Override
  protected void sendKill(ProcessHandle living) {
    List<ProcessHandle> started = living.descendants().toList();
    living.destroyForcibly();
    started.forEach(ProcessHandle::destroyForcibly);
    killed = started;
  }

  /** They may still hold the node's files. */
  private void awaitDead(List<ProcessHandle> processes) {
    for (ProcessHandle process : processes) {
      if (!ends(process.onExit())) {
        throw new ClusterException("a process that %s had started outlived it".formatted(name));
      }
    }
    killed = List.of();
  }

  /** First the process itself: it starts no more then. */
  @Override
  protected void stop(ProcessHandle living) {
    signal("-STOP", List.of(living));
    awaitStopped(living);
    List<ProcessHandle> started = living.descendants().toList();
    if (!started.isEmpty()) {
      signal("-STOP", started);
      started.forEach(this::awaitStopped);
    }
  }

  /**
   * A signal stops a process when one of its threads gets to run; on a busy machine the others
   * answered a client meanwhile. Looks only where there is a {@code /proc}.
   */
  private void awaitStopped(ProcessHandle process) {
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_STOP);
    while (runs(threads)) {
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException(
            "%s still runs %d s after SIGSTOP".formatted(name, SECONDS_TO_STOP));
      }
      LockSupport.parkNanos(STOP_POLL_NANOS);
    }
  }

  private static boolean runs(Path threads) {
    try (Stream<Path> all = Files.list(threads)) {
      return all.anyMatch(thread -> isRunning(thread.resolve("stat")));
    } catch (NoSuchFileException gone) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Neither stopped (T, t) nor dead (Z, X, or no such file). */
  private static boolean isRunning(Path stat) {
    try {
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return "TtZX".indexOf(text.charAt(text.lastIndexOf(')') + 2)) < 0;
    } catch (IOException gone) {
      return false;
    }
  }

  @Override
  protected void go(ProcessHandle stopped) {
    List<ProcessHandle> all = new ArrayList<>(stopped.descendants().toList());
    all.add(stopped);
    signal("-CONT", all);
  }

  /** Java can end a process but not stop it; the system's own kill command can. */
  private void signal(String option, List<ProcessHandle> processes) {
    List<String> command = new ArrayList<>(List.of("kill", option));
    processes.forEach(process -> command.add(Long.toString(process.pid())));
    try {
      Process kill =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!ends(kill.onExit()) || kill.exitValue() != 0) {
        throw new ClusterException("'kill %s' of %s failed".formatted(option, name));
      }
    } catch (IOException e) {
      throw new ClusterException(name + " cannot be paused here: there is no 'kill' command", e);
    }
  }

  @Override
  protected String readLogOfThisRun() {
    try {
      byte[] bytes = Files.readAllBytes(log);
      int before = Math.toIntExact(logBytesBefore);
      return new String(bytes, before, bytes.length - before, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the log of " + name, e);
    }
  }

  @Override
  protected List<String> readLog() {
    try {
      return Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return List.of("(no log: " + e + ")");
    }
  }
}
