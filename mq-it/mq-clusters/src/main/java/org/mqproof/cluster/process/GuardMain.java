package org.mqproof.cluster.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of a small JVM that outlives the owner of a cluster by a second, to clean up after
 * it: it kills the nodes, runs what commands it was told and deletes the directory as soon as its
 * standard input ends. The owner holds the other end and never closes it before it has cleaned up
 * itself; the kernel closes it however the owner dies.
 *
 * <p>Runs from a copy of this one class file, so it must have no nested class.
 */
final class GuardMain {

  private static final int SECONDS_TO_DIE = 5;
  private static final int SECONDS_TO_RUN = 20;
  private static final int SECONDS_TO_DELETE = 20;

  private GuardMain() {}

  /**
   * Reads lines until the input ends, then cleans up: a line is the process id of a node, or a
   * command with a tab before each word.
   *
   * @param args the directory to delete
   * @throws IOException if the input cannot be read
   */
  public static void main(String[] args) throws IOException {
    List<ProcessHandle> nodes = new CopyOnWriteArrayList<>();
    List<List<String>> commands = new CopyOnWriteArrayList<>();
    // A hook and not a finally: Ctrl-C reaches this process too, and then there is no end of input.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> cleanUp(nodes, commands, Path.of(args[0]))));
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line = input.readLine();
    while (line != null) {
      if (line.startsWith("\t")) {
        commands.add(List.of(line.substring(1).split("\t", -1)));
      } else {
        ProcessHandle.of(Long.parseLong(line)).ifPresent(nodes::add);
      }
      line = input.readLine();
    }
  }

  private static void cleanUp(
      List<ProcessHandle> nodes, List<List<String>> commands, Path directory) {
    nodes.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle node : nodes) {
      try {
        node.onExit().get(SECONDS_TO_DIE, TimeUnit.SECONDS);
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        // Dead but unburied, where nobody waits for orphans: the files can go all the same.
        System.err.println("node " + node.pid() + " is still there: " + e);
      }
    }
    commands.forEach(GuardMain::run);
    try {
      deleteTree(directory);
    } catch (IOException e) {
      System.err.println("cannot delete " + directory + ": " + e);
    }
  }

  /** That it fails is no error: the owner may have done the same before. */
  private static void run(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(SECONDS_TO_RUN, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException | InterruptedException e) {
      System.err.println("cannot run " + command + ": " + e);
    }
  }

  /**
   * Deletes a directory and all in it; does nothing where there is none. Owner and guard may do so
   * at the same time.
   *
   * @throws IOException if something is still there after 20 s
   */
  static void deleteTree(Path directory) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_DELETE);
    while (Files.exists(directory)) {
      try {
        deleteOnce(directory);
      } catch (IOException | DirectoryIteratorException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        // The other one deletes as well, or the last write of a dying node came in between.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }
  }

  private static void deleteOnce(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
        for (Path child : children) {
          deleteOnce(child);
        }
      }
    }
    Files.deleteIfExists(path);
  }
}
