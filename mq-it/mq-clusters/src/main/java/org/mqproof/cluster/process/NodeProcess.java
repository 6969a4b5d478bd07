package org.mqproof.cluster.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mqproof.cluster.ClusterException;

/**
 * One process of a cluster, most often a node, that can be started, killed, paused and started
 * again. Thread-safe; nothing here waits longer than 10 s for the process.
 */
public abstract class NodeProcess {

  private static final int SECONDS_TO_DIE = 10;
  private static final int LOG_LINES_SHOWN = 20;
  private static final int ERROR_LINES_SHOWN = 5;

  /** How the systems' logs mark a line that says why a process ends. */
  private static final Pattern ERROR =
      Pattern.compile("\\b(ERROR|FATAL|PANIC|error|fatal|SEVERE)\\b|\\[(ERR|FTL)]");

  /** What it is, for messages: "node 1". */
  protected final String name;

  private @Nullable ProcessHandle process;
  private boolean paused;

  /**
   * Starts nothing yet.
   *
   * @param name what it is, for messages: "node 1"
   */
  protected NodeProcess(String name) {
    this.name = name;
  }

  /**
   * Starts what is dead, or was never started.
   *
   * @param guard told of the process first, so that there is no moment in which it runs unwatched
   * @return the process, which runs
   * @throws ClusterException if it cannot be started; nothing of it runs then
   */
  protected abstract ProcessHandle launch(Guard guard);

  /**
   * Sends SIGKILL, which a paused process does not survive either, and does not wait.
   *
   * @param living the process
   */
  protected abstract void sendKill(ProcessHandle living);

  /**
   * Stops it: nothing of it runs on, and its connections stay open.
   *
   * @param living the process
   */
  protected abstract void stop(ProcessHandle living);

  /**
   * Lets it run on.
   *
   * @param stopped the process
   */
  protected abstract void go(ProcessHandle stopped);

  /**
   * What was written to its log since it was last started.
   *
   * @return the text
   */
  protected abstract String readLogOfThisRun();

  /**
   * Its log over all its runs.
   *
   * @return the lines, or one that says why there are none
   */
  protected abstract List<String> readLog();

  /**
   * A native command that waits for a line first, as {@link ClusterHome#add(ProcessBuilder)} wants
   * it.
   *
   * @param command the program and its arguments
   * @return the same, to be given a directory and an environment
   */
  public static ProcessBuilder whenTold(List<String> command) {
    List<String> told =
        new ArrayList<>(List.of("/bin/sh", "-c", "read -r go && exec \"$@\" </dev/null", "sh"));
    told.addAll(command);
    return new ProcessBuilder(told);
  }

  /**
   * Starts the process.
   *
   * @param guard sees to it that it does not outlive this JVM
   * @throws IllegalStateException if it is not dead
   */
  final synchronized void start(Guard guard) {
    if (isAlive()) {
      throw new IllegalStateException(name + " is not dead");
    }
    paused = false;
    process = launch(guard);
  }

  /**
   * Whether it runs or is paused.
   *
   * @return false if it is dead or was never started
   */
  public final synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /**
   * Whether it can answer.
   *
   * @return false if it is dead or paused
   */
  public final synchronized boolean isRunning() {
    return isAlive() && !paused;
  }

  /**
   * The process last started.
   *
   * @return it may be dead
   * @throws IllegalStateException if there is none
   */
  public final synchronized ProcessHandle handle() {
    if (process == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return process;
  }

  /**
   * Kills it with SIGKILL, which a paused process does not survive either, and waits until it is
   * dead.
   *
   * @throws IllegalStateException if it is dead already
   */
  public final synchronized void kill() {
    if (!isAlive()) {
      throw new IllegalStateException(name + " is dead already");
    }
    killIfAlive();
  }

  /** Sends SIGKILL and does not wait, so that several nodes can die in the same instant. */
  public final synchronized void signalKill() {
    if (process != null && process.isAlive()) {
      sendKill(process);
    }
  }

  /**
   * Kills it, as {@link #kill()} does, if it is not dead.
   *
   * @throws ClusterException if it is not dead after 10 s
   */
  public final synchronized void killIfAlive() {
    ProcessHandle victim = process;
    if (victim == null) {
      return;
    }
    signalKill();
    if (!ends(victim.onExit())) {
      throw new ClusterException("%s outlived SIGKILL by %d s".formatted(name, SECONDS_TO_DIE));
    }
    paused = false;
  }

  /**
   * Stops it: its connections stay open, and nothing answers.
   *
   * @throws IllegalStateException if it is dead or paused
   */
  public final synchronized void pause() {
    if (!isAlive() || paused) {
      throw new IllegalStateException(name + " is " + (paused ? "paused" : "dead"));
    }
    stop(handle());
    paused = true;
  }

  final synchronized void resume() {
    if (!isAlive() || !paused) {
      throw new IllegalStateException(name + " is not paused");
    }
    go(handle());
    paused = false;
  }

  final synchronized void resumeIfPaused() {
    if (isAlive() && paused) {
      resume();
    }
  }

  /** Waits some seconds for the end of a process. */
  static boolean ends(CompletableFuture<?> exit) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_DIE);
    try {
      while (true) { // to its end even if interrupted: half a fault would be worse than a short
        // wait
        try {
          exit.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
          return true;
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException | ExecutionException e) {
          return false;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * What the process last started, dead or alive, has written to its log.
   *
   * @return the text; empty if it was never started
   */
  public final synchronized String logOfThisRun() {
    return process == null ? "" : readLogOfThisRun();
  }

  /**
   * The end of the log, for the text of an error, and before it the errors that the log told of
   * first: a process that ends in order writes more than is shown after it said why.
   *
   * @return some lines
   */
  public final String lastLogLines() {
    return lastLogLines(line -> true);
  }

  /** Of what its log says that is worth reading: causes, without where they were thrown. */
  final String lastLogLines(Predicate<String> worthReading) {
    List<String> lines =
        readLog().stream().filter(worthReading.and(line -> !line.startsWith("\tat "))).toList();
    int end = Math.max(0, lines.size() - LOG_LINES_SHOWN);
    Stream<String> errors =
        lines.subList(0, end).stream()
            .filter(line -> ERROR.matcher(line).find())
            .limit(ERROR_LINES_SHOWN);
    return Stream.concat(errors, lines.subList(end, lines.size()).stream())
        .collect(Collectors.joining("\n"));
  }
}
